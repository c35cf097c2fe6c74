-- id, lease, state, result or error as JSON, the most bytes of it that a notification carries
local id = ARGV[1]
local call = key('call', id)
local known = redis.call('HMGET', call, 'state', 'lease', 'pool', 'version', 'callers', 'attempt', 'progress')
if known[1] ~= 'running' or known[2] ~= ARGV[2] then
    return 'lost'
end
-- First, since a script whose first write needs no memory may go on when none is left.
redis.call('ZREM', key('leases', known[3]), id)
redis.call('HDEL', call, 'call', 'lease')
local version = known[4] + 1
redis.call('HSET', call, 'state', ARGV[3], 'end', ARGV[4], 'version', version)
local progress = known[7] or ''
if #ARGV[4] + #progress > tonumber(ARGV[5]) then
    notify(known[5], 'call', id)
else
    -- The record does not change any more, so whoever waits for it need not read it.
    notify(known[5], 'call', id, 'state', ARGV[3], 'attempt', known[6], 'progress', progress, 'version', version, 'end', ARGV[4])
end
return 'ok'
