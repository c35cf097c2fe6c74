-- The process that submits, the most that may wait in a pool, then for each call: its pool, its id, the call as JSON, whether it is
-- repeatable, the milliseconds to its deadline, the name of its idempotency key or nothing, the digest of its arguments. Gives for each
-- new, or known, a space and the id of the call that is made in its place, or what is wrong.
local process, most, time = ARGV[1], tonumber(ARGV[2]), now()

local pools = {}
local function look_at(pool)
    if not pools[pool] then
        local queue = key('queue', pool)
        pools[pool] = {key = queue, workers = redis.call('ZCOUNT', key('workers', pool), digits(time), '+inf'),
            waiting = redis.call('LLEN', queue), ids = {}}
    end
    return pools[pool]
end

local answer = for_each(3, 7, function(pool, id, text, repeatable, left, name, arguments)
    local call, idempotency = key('call', id), key('key', name)
    if redis.call('EXISTS', call) == 1 then
        return 'known ' .. id
    end
    if name ~= '' then
        local earlier = redis.call('HMGET', idempotency, 'call', 'arguments')
        local state = earlier[1] and redis.call('HGET', key('call', earlier[1]), 'state')
        -- One that was cancelled before it was claimed had no effect.
        if state and state ~= 'cancelled' then
            if earlier[2] == arguments then
                return 'known ' .. earlier[1]
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
    redis.call('HSET', call, 'pool', pool, 'call', text, 'repeatable', repeatable, 'deadline', digits(time + left), 'callers', process,
        'server', SERVER, 'state', 'queued', 'attempt', '0', 'version', '1')
    redis.call('PEXPIRE', call, HOUR)
    queue.ids[#queue.ids + 1] = id
    queue.waiting = queue.waiting + 1
    if name ~= '' then
        redis.call('HSET', idempotency, 'call', id, 'arguments', arguments)
        redis.call('PEXPIRE', idempotency, HOUR)
    end
    return 'new'
end)
for _, queue in pairs(pools) do
    if #queue.ids > 0 then
        redis.call('RPUSH', queue.key, unpack(queue.ids))
        if #queue.ids == queue.waiting then
            -- It is new. The worker that is there sees to it that it outlives the record.
            redis.call('PEXPIRE', queue.key, HOUR)
        end
    end
end
return answer
