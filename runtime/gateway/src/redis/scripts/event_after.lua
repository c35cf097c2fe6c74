-- session, stream, number, how long events are kept in milliseconds: from the event with this number on, numbers and messages
local answer, last = {}, now() - ARGV[4]
for _, event in ipairs(redis.call('ZRANGEBYSCORE', key('events', ARGV[1]), ARGV[3], '+inf')) do
    local at, stream, sequence, start = string.match(event, '^(%d+) (%d+) (%d+) ()')
    if stream == ARGV[2] and tonumber(at) >= last then
        answer[#answer + 1] = sequence
        answer[#answer + 1] = string.sub(event, start)
    end
end
return answer
