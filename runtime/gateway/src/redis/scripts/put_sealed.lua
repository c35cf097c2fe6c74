-- run, organization as JSON, node, its credentials as JSON or nothing, the most bytes of all of a run, whether these must be there
-- before, and which
local run, node, sealed = ARGV[1], ARGV[3], ARGV[4]
local meta, all = meta_of(run), sealed_of(run)
local org = redis.call('HGET', meta, 'org')
if not org then
    return 'none'
end
if org ~= ARGV[2] then
    return 'other'
end
local former = redis.call('HGET', all, node) or ''
if ARGV[6] == '1' and former ~= ARGV[7] then
    return 'changed'
end
local bytes = (redis.call('HGET', meta, 'sealed') or 0) - #former + #sealed
if sealed ~= '' and bytes > tonumber(ARGV[5]) then
    return 'full'
end
redis.call('HSET', meta, 'sealed', bytes)
if sealed == '' then
    redis.call('HDEL', all, node)
else
    redis.call('HSET', all, node, sealed)
    redis.call('PEXPIRE', all, redis.call('PTTL', meta))
end
return 'ok'
