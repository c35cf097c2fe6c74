-- The most bytes that a notification carries of a result, then for each call: its id, its lease, the state, the result or error as JSON.
-- Gives ok or lost for each.
local most = tonumber(ARGV[1])

-- The records of those that hold their leases, and the ids of a pool.
local records, ended = {}, {}
for place = 2, #ARGV, 4 do
    local id = ARGV[place]
    local known = redis.call('HMGET', key('call', id), 'state', 'lease', 'pool', 'version', 'callers', 'attempt', 'progress')
    if known[1] == 'running' and known[2] == ARGV[place + 1] then
        records[id] = known
        local ids = ended[known[3]] or {}
        ended[known[3]] = ids
        ids[#ids + 1] = id
    end
end
-- First, since a script whose first write needs no memory may go on when none is left.
for pool, ids in pairs(ended) do
    redis.call('ZREM', key('leases', pool), unpack(ids))
end

-- By process: the final records that it waits for. One message carries all of them.
local carried = {}
local answer = for_each(2, 4, function(id, lease, state, text)
    local known = records[id]
    if not known or known[2] ~= lease then
        return 'lost'
    end
    -- The same call may be there twice.
    records[id] = nil
    local version, progress = digits(known[4] + 1), known[7] or ''
    redis.call('HSET', key('call', id), 'state', state, 'end', text, 'version', version, 'call', '', 'lease', '')
    if #text + #progress > most then
        notify(known[5], 'call', id)
    else
        -- The record does not change any more, so whoever waits for it need not read it.
        local numbers = string.format('%s %s %s %d %d %d ', state, known[6], version, #id, #progress, #text)
        for process in string.gmatch(known[5] or '', '%S+') do
            carried[process] = (carried[process] or '') .. numbers .. id .. progress .. text
        end
    end
    return 'ok'
end)
for process, records in pairs(carried) do
    notify(process, 'ends', records)
end
return answer
