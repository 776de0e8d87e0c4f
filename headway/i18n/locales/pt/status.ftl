### Em que pé está uma execução.

status-created = criada
status-running = em andamento
status-finished = concluída
status-failed = falhou
status-interrupted = interrompida
status-damaged = danificada
