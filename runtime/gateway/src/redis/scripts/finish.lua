-- id, lease, state, result or error as JSON
local id = ARGV[1]
local call = key('call', id)
local known = redis.call('HMGET', call, 'state', 'lease', 'pool')
if known[1] ~= 'running' or known[2] ~= ARGV[2] then
    return 'lost'
end
-- First, since a script whose first write needs no memory may go on when none is left.
redis.call('ZREM', key('leases', known[3]), id)
redis.call('HDEL', call, 'call', 'lease')
change(id, 'state', ARGV[3], 'end', ARGV[4])
return 'ok'
