-- process, for how long it counts as alive in milliseconds, the tasks that it runs: those of them that have ended
redis.call('SET', key('alive', ARGV[1]), '1', 'PX', ARGV[2])
local answer = {}
for place = 3, #ARGV do
    if redis.call('HGET', key('task', ARGV[place]), 'ended') == '1' then
        answer[#answer + 1] = ARGV[place]
    end
end
return answer
