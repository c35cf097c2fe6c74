-- id
local id = ARGV[1]
local call = key('call', id)
local known = redis.call('HMGET', call, 'state', 'pool', 'entry', 'worker')
if not known[1] then
    return 'none'
end
if known[1] == 'queued' then
    dequeue(known[2], known[3])
    redis.call('HDEL', call, 'call')
    change(id, 'state', 'cancelled')
elseif known[1] == 'running' then
    redis.call('HSET', call, 'cancelled', 1)
    notify(known[4], 'cancel', id)
end
return 'ok'
