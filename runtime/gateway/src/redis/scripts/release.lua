-- id, lease: a call that was claimed, and that nobody has begun with
local id = ARGV[1]
local call = key('call', id)
local known = redis.call('HMGET', call, 'state', 'lease', 'pool', 'attempt')
if known[1] ~= 'running' or known[2] ~= ARGV[2] then
    return 'lost'
end
redis.call('ZREM', key('leases', known[3]), id)
redis.call('HDEL', call, 'lease')
enqueue(known[3], id)
note(id, 'state', 'queued', 'attempt', digits(known[4] - 1))
return 'ok'
