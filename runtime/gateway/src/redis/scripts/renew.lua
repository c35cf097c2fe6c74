-- id, lease, its length in milliseconds, progress as JSON or nothing
local id = ARGV[1]
local known = redis.call('HMGET', key('call', id), 'state', 'lease', 'pool', 'cancelled')
if known[1] ~= 'running' or known[2] ~= ARGV[2] then
    return 'lost'
end
redis.call('ZADD', key('leases', known[3]), now() + ARGV[3], id)
if ARGV[4] ~= '' then
    change(id, 'progress', ARGV[4])
end
return known[4] and 'cancelled' or 'held'
