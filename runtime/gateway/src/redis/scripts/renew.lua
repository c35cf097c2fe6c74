-- id, lease, its length in milliseconds, progress as JSON or nothing
local id = ARGV[1]
local known = redis.call('HMGET', key('call', id), 'state', 'lease', 'pool', 'cancelled')
if known[1] ~= 'running' or known[2] ~= ARGV[2] then
    return 'lost'
end
-- First, since a script whose first write needs no memory may go on when none is left.
redis.call('PEXPIRE', key('leases', known[3]), digits(2 * HOUR))
redis.call('ZADD', key('leases', known[3]), digits(now() + ARGV[3]), id)
if ARGV[4] ~= '' then
    change(id, 'progress', ARGV[4])
end
return known[4] and 'cancelled' or 'held'
