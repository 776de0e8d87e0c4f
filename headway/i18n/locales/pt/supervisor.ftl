### O que o supervisor de um job diz.

supervisor-attempt-started = Início { $attempt }.
supervisor-attempt-finished = Concluído após { DURATION($seconds) }.
supervisor-attempt-stopped = Parado, como pediu o sinal { $signal }.
supervisor-attempt-failed = { $cause } ({ PERCENT($confidence) } de certeza)
supervisor-hang = Nenhum passo há { DURATION($silent_seconds) }: o job travou e será encerrado.
supervisor-retrying = Novo início em { DURATION($wait_seconds) }.
supervisor-gave-up = { $reason ->
    [lasting] Sem novo início: a causa continuaria presente no próximo.
    [repeated] Sem novo início: o mesmo aconteceu duas vezes no mesmo passo.
   *[retries] Sem novo início: o número permitido de inícios se esgotou.
}
supervisor-explained = A história completa: headway diagnose { $path }
supervisor-no-command = É preciso um comando para executar, mas não há nenhum depois das opções.
    .next = Escreva-o depois de dois hífens, por exemplo: headway run -- torchrun train.py
