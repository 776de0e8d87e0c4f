### O que o painel diz.

## Em todas as páginas

ui-skip = Ir para o conteúdo
ui-language = Idioma
ui-dark = Escuro
ui-light = Claro
ui-loading = Carregando…
ui-no-page = Esta página não existe.
ui-disconnected = Conexão perdida, tentando de novo
ui-error-page = Esta página falhou: { $reason }
ui-error-server = O servidor não responde. O `headway watch` ainda está rodando?
ui-error-status = O servidor respondeu com o status { $status }.

## Execuções

ui-runs = Execuções
ui-runs-filter = Filtrar por nome
ui-runs-compare = Comparar ({ $count })
ui-runs-none = Ainda não há execuções. Inicie uma com `headway train RECIPE`.
ui-runs-choose = Escolher para comparar
ui-compare = Execuções lado a lado
ui-column-name = Nome
ui-column-status = Estado
ui-column-progress = Progresso
ui-column-loss = Perda
ui-column-validation = Perda de validação
ui-column-speed = Velocidade
ui-column-changed = Último sinal de vida

## Uma execução

ui-charts = Gráficos
ui-charts-none = Nenhum passo foi concluído ainda.
ui-axis = Eixo horizontal
ui-axis-step = Passos
ui-axis-tokens = Tokens
ui-axis-time = Tempo
ui-logarithmic = Logarítmico
ui-zoom-out = Mostrar tudo
ui-ledger = Previsto e medido
ui-column-resource = Recurso
ui-column-quantity = Grandeza
ui-column-predicted = Previsto
ui-column-measured = Medido
ui-column-error = Desvio
ui-estimated = { $value } (estimado)
ui-events = O que aconteceu
ui-why = Por que parou

## Métricas

ui-metric-gradient_norm = norma do gradiente
ui-metric-learning_rate = taxa de aprendizado
ui-metric-resident_bytes = memória do processo
ui-metric-data_seconds = espera por dados, por passo
ui-metric-loss_scale = escala da perda
ui-metric-is_skipped = pulado

ui-tokens-per-second = { $count } tokens/s

## Plano

ui-plan = Plano
ui-plan-model = Modelo
ui-plan-accelerator = Acelerador
ui-plan-devices = Dispositivos
ui-plan-tokens = Tokens
ui-plan-fits = Cabe na memória.
ui-plan-memory = Memória por dispositivo
ui-plan-step = Tempo por passo
ui-plan-days = Tempo total
ui-plan-mfu = Utilização de FLOPs do modelo (MFU)
ui-plan-power = Potência das instalações
ui-plan-energy = Energia
ui-plan-carbon = Carbono
ui-plan-cost = Custo
ui-plan-goodput = Goodput
ui-part-parameters = Parâmetros
ui-part-gradients = Gradientes
ui-part-optimizer = Otimizador
ui-part-activations = Ativações
ui-part-logits = Logits
ui-part-communication = Comunicação
ui-part-reserve = Reserva

## Diagnóstico

ui-diagnose = Diagnóstico
ui-diagnose-drop = Solte um log aqui ou escolha um arquivo: de qualquer framework, mesmo compactado
ui-diagnose-private = O log é lido na máquina em que este servidor roda e não sai dela.
ui-diagnose-first = Primeira falha: rank { $rank }, host { $host }
ui-diagnose-remedies = O que fazer
ui-diagnose-evidence = O que indica isso

## Servidor

ui-server = Servidor
ui-server-processor = Processador
ui-server-cores = Núcleos para cálculo
ui-server-memory = Memória
ui-server-disk = Espaço livre em disco
ui-server-accelerators = Aceleradores
ui-server-advice = Recomendações
ui-server-fine = Nada a mudar.
