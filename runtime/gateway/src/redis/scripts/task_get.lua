-- id, for how long a process must have been silent to be lost: the task as JSON, and whether it runs in a process that is lost
local task = key('task', ARGV[1])
local known = redis.call('HMGET', task, 'task', 'ended', 'process', 'lost')
if not known[1] then
    return {'none'}
end
if known[2] == '1' or redis.call('EXISTS', key('alive', known[3])) == 1 then
    if known[4] then
        redis.call('HDEL', task, 'lost')
    end
    return {'ok', known[1]}
end
-- After an outage of the server, processes need a moment to say that they are there.
local since = known[4] or now()
if not known[4] then
    redis.call('HSET', task, 'lost', since)
end
return {now() - since < tonumber(ARGV[2]) and 'ok' or 'lost', known[1]}
