-- run, token or nothing, when it was issued, whether entries are wanted
local meta = meta_of(ARGV[1])
local known = redis.call('HMGET', meta, 'org', 'epoch', 'revision')
if not known[1] then
    return {'none'}
end
local revoked = ARGV[2] ~= '' and is_revoked(known[1], ARGV[2], ARGV[3]) or '0'
local answer = {'ok', known[1], known[2], known[3], revoked}
if ARGV[4] == '1' then
    for _, value in ipairs(redis.call('HVALS', tools_of(ARGV[1]))) do
        answer[#answer + 1] = value
    end
end
return answer
