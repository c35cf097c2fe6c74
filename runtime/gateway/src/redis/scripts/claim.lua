-- pool, entry, id, lease, its length in milliseconds, the worker's process
local pool, id, lease = ARGV[1], ARGV[3], ARGV[4]
dequeue(pool, ARGV[2])
local call = key('call', id)
local known = redis.call('HMGET', call, 'state', 'call', 'attempt', 'deadline', 'lease')
if known[1] == 'running' and known[5] == lease then
    return {known[2], known[3]}
end
if known[1] ~= 'queued' then
    return {}
end
if tonumber(known[4]) <= now() then
    redis.call('HDEL', call, 'call')
    change(id, 'state', 'cancelled')
    return {}
end
local attempt = tostring(known[3] + 1)
local leases = key('leases', pool)
redis.call('ZADD', leases, now() + ARGV[5], id)
redis.call('PEXPIRE', leases, 2 * HOUR)
note(id, 'state', 'running', 'lease', lease, 'attempt', attempt, 'worker', ARGV[6])
return {known[2], attempt}
