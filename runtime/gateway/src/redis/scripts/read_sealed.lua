-- run, organization as JSON, node or nothing: its credentials, or the nodes that have some
local org = redis.call('HGET', meta_of(ARGV[1]), 'org')
if not org then
    return {'none'}
end
if org ~= ARGV[2] then
    return {'other'}
end
local all = sealed_of(ARGV[1])
if ARGV[3] ~= '' then
    return {'ok', redis.call('HGET', all, ARGV[3]) or nil}
end
local answer = {'ok'}
for _, node in ipairs(redis.call('HKEYS', all)) do
    answer[#answer + 1] = node
end
return answer
