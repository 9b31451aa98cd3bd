package formats

// cronExamples are examples of cron schedules.
var cronExamples = map[string]examples{"cron-schedule": {
	valid: []string{
		"* * * * *", "? ? ? ? ?", "*/5 0 1 1 0", "0-59/2 1,2,3 1-31 jan-DEC sun", "5/10 * * * Mon-FRI", "59 23 31 12 6",
		", * * * *", "*-7 * * * *", "+5 * * * *", "\t0 0  * * *", "@daily", "@every 1h30m", "@every -5s",
		"1,,2 * * * *", "TZ=UTC 0 0 * * *", "CRON_TZ=Europe/Berlin @daily", "TZ= 0 0 * * *", "*/100 * * * *",
	},
	invalid: []string{
		"", " ", "* * * *", "* * * * * *", "60 * * * *", "* 24 * * *", "* * 0 * *", "* * 32 * *", "* * * 0 *",
		"* * * 13 *", "* * * * 7", "* * * anf *", "* * * * july", "jan * * * *", "2-1 * * * *", "*/0 * * * *",
		"*/-1 * * * *", "1-2-3 * * * *", "1/2/3 * * * *", "- * * * *", "5- * * * *", "@every", "@every 5", "@Daily",
		" @daily", "@reboot", "TZ=UTC", "TZ=Nowhere 0 0 * * *", "a * * * *", "*5 * * * *",
	},
}}
