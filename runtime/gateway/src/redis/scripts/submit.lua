-- The process that submits, the most that may wait in a pool, then for each call: its pool, its id, the call as JSON, whether it is
-- repeatable, the milliseconds to its deadline, the name of its idempotency key or nothing, the digest of its arguments. Gives for each
-- ok, the id of the call that is made, and whether it is new, or what is wrong.
local process, most, time = ARGV[1], tonumber(ARGV[2]), now()

local pools = {}
local function look_at(pool)
    if not pools[pool] then
        local stream = key('calls', pool)
        pools[pool] = {stream = stream, workers = redis.call('ZCOUNT', key('workers', pool), time, '+inf'),
            waiting = redis.call('XLEN', stream)}
    end
    return pools[pool]
end

-- Only for calls that must not be repeated, since it takes longer than the rest.
local server
local function current_server()
    server = server or server_run()
    return server
end

return for_each(3, 7, 3, function(pool, id, text, repeatable, left, name, arguments)
    local call, idempotency = key('call', id), key('key', name)
    if redis.call('EXISTS', call) == 1 then
        return 'ok', id, '0'
    end
    if name ~= '' then
        local earlier = redis.call('HMGET', idempotency, 'call', 'arguments')
        local state = earlier[1] and redis.call('HGET', key('call', earlier[1]), 'state')
        -- One that was cancelled before it was claimed had no effect.
        if state and state ~= 'cancelled' then
            if earlier[2] == arguments then
                return 'ok', earlier[1], '0'
            end
            return 'other_arguments'
        end
    end
    local queue = look_at(pool)
    if queue.workers == 0 then
        return 'no_worker'
    end
    if queue.waiting >= most then
        return 'overloaded'
    end
    -- The worker that is there has seen to it that the stream outlives the record.
    local entry = redis.call('XADD', queue.stream, '*', 'call', id)
    queue.waiting = queue.waiting + 1
    redis.call('HSET', call, 'pool', pool, 'call', text, 'repeatable', repeatable, 'deadline', time + left, 'callers', process,
        'server', repeatable == '1' and '' or current_server(), 'state', 'queued', 'attempt', 0, 'version', 1, 'entry', entry)
    redis.call('PEXPIRE', call, HOUR)
    if name ~= '' then
        redis.call('HSET', idempotency, 'call', id, 'arguments', arguments)
        redis.call('PEXPIRE', idempotency, HOUR)
    end
    return 'ok', id, '1'
end)
