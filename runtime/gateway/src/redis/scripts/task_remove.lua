-- id
local owner = redis.call('HGET', key('task', ARGV[1]), 'owner')
redis.call('DEL', key('task', ARGV[1]))
for _, book in ipairs(books_of(owner or '')) do
    strike(book, ARGV[1])
end
return 'ok'
