-- Looks for workers of a pool that have let their leases end, and for those that were lost between being given an entry and
-- claiming its call. `idle` is how long that may take; `attempts` how often a call is made.
local function end_leases(pool, idle, attempts)
    local leases = key('leases', pool)
    for _, id in ipairs(redis.call('ZRANGEBYSCORE', leases, '-inf', now(), 'LIMIT', 0, 100)) do
        redis.call('ZREM', leases, id)
        local call = key('call', id)
        local known = redis.call('HMGET', call, 'state', 'repeatable', 'attempt', 'cancelled')
        if known[1] == 'running' then
            redis.call('HDEL', call, 'lease')
            if known[2] == '1' and tonumber(known[3]) < attempts and not known[4] then
                enqueue(pool, id)
                note(id, 'state', 'queued')
            else
                redis.call('HDEL', call, 'call')
                change(id, 'state', 'unknown')
            end
        end
    end
    local stream = key('calls', pool)
    local given = redis.pcall('XPENDING', stream, 'w', 'IDLE', idle, '-', '+', 100)
    -- Without a group there are none.
    if given.err then
        return
    end
    for _, entry in ipairs(given) do
        local found = redis.call('XRANGE', stream, entry[1], entry[1])[1]
        dequeue(pool, entry[1])
        if found then
            enqueue(pool, found[2][2])
        end
    end
end
