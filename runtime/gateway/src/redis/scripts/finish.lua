-- The most bytes that a notification carries of a result, then for each call: its id, its lease, the state, the result or error as JSON.
-- Gives ok or lost for each.
local most = tonumber(ARGV[1])

return for_each(2, 4, function(id, lease, state, text)
    local call = key('call', id)
    local known = redis.call('HMGET', call, 'state', 'lease', 'pool', 'version', 'callers', 'attempt', 'progress')
    if known[1] ~= 'running' or known[2] ~= lease then
        return 'lost'
    end
    -- First, since a script whose first write needs no memory may go on when none is left.
    redis.call('ZREM', key('leases', known[3]), id)
    redis.call('HDEL', call, 'call', 'lease')
    local version = digits(known[4] + 1)
    redis.call('HSET', call, 'state', state, 'end', text, 'version', version)
    local progress = known[7] or ''
    if #text + #progress > most then
        notify(known[5], 'call', id)
    else
        -- The record does not change any more, so whoever waits for it need not read it.
        local numbers = string.format('%s %s %s %d %d ', state, known[6], version, #id, #progress)
        notify(known[5], 'end', numbers .. id .. progress .. text)
    end
    return 'ok'
end)
