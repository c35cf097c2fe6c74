-- Calls a function for each item: with as many arguments as an item has, those from the place `first` on being of items. Gives the
-- string that it returns for each, or failed, a space and why: an item that fails does not affect the others.
local function for_each(first, arguments, act)
    local answer = {}
    for place = first, #ARGV, arguments do
        local done, result = pcall(act, unpack(ARGV, place, place + arguments - 1))
        if not done then
            result = 'failed ' .. (type(result) == 'table' and result.err or tostring(result))
        end
        answer[#answer + 1] = result
    end
    return answer
end
