-- id
local id = ARGV[1]
local call = key('call', id)
local known = redis.call('HMGET', call, 'state', 'pool', 'worker')
if not known[1] then
    return 'none'
end
if known[1] == 'queued' then
    -- A worker that was given it finds that it is cancelled.
    redis.call('LREM', key('queue', known[2]), '1', id)
    redis.call('HDEL', call, 'call')
    change(id, 'state', 'cancelled')
elseif known[1] == 'running' then
    redis.call('HSET', call, 'cancelled', '1')
    notify(known[3], 'cancel', id)
end
return 'ok'
