status-created = أُنشئ
status-running = قيد التشغيل
status-finished = اكتمل
status-failed = أخفق
status-interrupted = انقطع
status-damaged = تالف
