-- id, the version that is known, the process that waits for a newer one or nothing, attempts: gives whether there is a
-- newer version, what of it, and how long the lease is good
local id, call = ARGV[1], key('call', ARGV[1])
local known = redis.call('HMGET', call, 'state', 'pool', 'version', 'callers')
if not known[1] then
    return {'none'}
end
local left = ''
if known[1] == 'running' then
    local ends = redis.call('ZSCORE', key('leases', known[2]), id)
    left = ends and ends - now() or 0
    if left <= 0 then
        -- It may not be among the first; then it is looked at again.
        end_leases(known[2], tonumber(ARGV[4]))
        left = 10
        known[3] = redis.call('HGET', call, 'version')
    end
    left = tostring(left)
end
if tonumber(known[3]) <= tonumber(ARGV[2]) then
    if ARGV[3] ~= '' and not string.find(' ' .. known[4] .. ' ', ' ' .. ARGV[3] .. ' ', 1, true) then
        -- Of the processes that wait, the last few are told.
        local callers = string.sub(ARGV[3] .. ' ' .. known[4], 1, 400)
        redis.call('HSET', call, 'callers', callers)
    end
    return {'same', left}
end
local newer = redis.call('HMGET', call, 'state', 'attempt', 'progress', 'version', 'end')
return {'newer', newer[1], newer[2], newer[3] or '', newer[4], newer[5] or ''}
