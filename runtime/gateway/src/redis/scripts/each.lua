-- Calls a function for each item: with as many arguments as an item has, those from the place `first` on being of items. Gives as many
-- strings as are asked for of each, or failed and why: an item that fails does not affect the others.
local function for_each(first, arguments, strings, act)
    local answer = {}
    for place = first, #ARGV, arguments do
        local results = {pcall(act, unpack(ARGV, place, place + arguments - 1))}
        if not results[1] then
            local why = results[2]
            results = {true, 'failed', type(why) == 'table' and why.err or tostring(why)}
        end
        for number = 2, strings + 1 do
            answer[#answer + 1] = results[number] or ''
        end
    end
    return answer
end
