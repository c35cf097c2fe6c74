-- pool, idle, attempts
end_leases(ARGV[1], ARGV[2], tonumber(ARGV[3]))
return 'ok'
