-- Looks for workers of a pool that have let their leases end. `attempts` is how often a call is made.
local function end_leases(pool, attempts)
    local leases = key('leases', pool)
    for _, id in ipairs(redis.call('ZRANGEBYSCORE', leases, '-inf', digits(now()), 'LIMIT', '0', '100')) do
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
end
