-- run, whether entries are wanted: its organization as JSON, its epoch, its revision, and its entries
local known = redis.call('HMGET', meta_of(ARGV[1]), 'org', 'epoch', 'revision')
if not known[1] then
    return {'none'}
end
local answer = {'ok', known[1], known[2], known[3]}
if ARGV[2] == '1' then
    for _, value in ipairs(redis.call('HVALS', tools_of(ARGV[1]))) do
        answer[#answer + 1] = value
    end
end
return answer
