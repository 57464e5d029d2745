/**
 * Concepts of the subject, with the words that people say for them in both languages. A word is indexed and asked for as itself and as its concepts, so that
 * `prioridade` finds `level`, and a question in Portuguese the records that exist in English only. A concept is general: a word that means something else in
 * many records belongs to no concept.
 */
import { LOCALES, type Locale } from '../../../core/i18n/locale.js'
import type { Pauses } from './pauses.js'
import { termsOf } from './tokens.js'

/** English; Portuguese. `a+b` is two words in this order, between which only frequent words may stand. Words that both languages use stand once. */
const CONCEPTS: readonly (readonly [english: string, portuguese: string])[] = [
  // Rules and their place.
  ['rule signature', 'regra assinatura'],
  ['decoder parser', 'decodificador'],
  ['decode parse extract', 'decodificar extrair interpretar ler'],
  ['field variable', 'campo'],
  ['level severity priority importance', 'nível severidade gravidade prioridade'],
  ['parent if_sid', 'pai mãe'],
  ['child descendant', 'filho filha'],
  ['sibling', 'irmão irmã'],
  ['overwrite override redefine', 'sobrescrever redefinir sobrepor'],
  ['replace substitute exchange', 'substituir trocar'],
  ['change modify edit adjust', 'mudar alterar modificar editar ajustar emendar'],
  ['order sequence first', 'ordem sequência primeiro'],
  ['win precede precedence', 'vencer ganhar prevalecer precedência'],
  ['group category class', 'grupo categoria classe'],
  ['tag element option', 'etiqueta elemento opção'],
  ['attribute', 'atributo'],
  ['duplicate twice same identical repeat', 'duplicar repetir mesmo igual idêntico duas+vezes'],
  ['id identifier number', 'identificador número'],
  ['range reserved interval', 'faixa reservar intervalo'],
  ['copy clone', 'cópia copiar clonar'],
  // What is missing, wrong, or without effect.
  ['missing absent lack nonexistent forgot not+found not+exist undefined', 'ausente faltar inexistente esquecer não+existe não+encontrado sumir'],
  ['unknown unrecognized undefined', 'desconhecido'],
  ['invalid wrong incorrect illegal malformed bad', 'inválido errado incorreto malformado'],
  ['empty blank', 'vazio branco'],
  ['ignore discard drop skip throw reject', 'ignorar descartar pular rejeitar recusar jogar'],
  ['ineffective useless redundant superfluous', 'inútil redundante supérfluo sem+efeito'],
  ['unreachable hidden shadow never', 'inalcançável oculto encobrir nunca'],
  ['orphan isolated', 'órfão isolado'],
  ['unused', 'não+usado'],
  ['always every', 'sempre todo tudo qualquer'],
  ['error fail problem failure', 'erro falhar problema'],
  ['warning notice', 'aviso'],
  ['deprecated obsolete removed', 'obsoleto descontinuado'],
  ['typo misspell spelling', 'digitação grafia ortografia'],
  ['conflict clash collide contradict', 'conflito colidir contradizer'],
  ['maximum limit', 'máximo limite demais quantidade caber'],
  ['minimum least', 'mínimo'],
  ['long length size large big huge', 'longo comprimento tamanho grande comprido enorme'],
  ['truncate cut shorten', 'truncar cortar encurtar'],
  ['close unclosed end', 'fechar encerrar'],
  ['broken break crash', 'quebrar travar cair'],
  ['allow permit accept valid', 'permitir aceitar válido'],
  ['explain meaning purpose difference compare versus', 'explicar significado diferença comparar'],
  // Matching.
  ['pattern regex expression regular+expression', 'padrão expressão regular'],
  ['match hit apply', 'casar bater corresponder aplicar'],
  ['fire trigger raise', 'disparar acionar'],
  ['alert', 'alertar alarme'],
  ['negate not exclude except inverse invert negative', 'negar negação exceto excluir inverter negativo'],
  ['condition criterion', 'condição critério'],
  ['capture capturing parenthesis capture+group', 'captura capturar parêntese'],
  ['dot wildcard', 'ponto curinga qualquer+caractere'],
  ['letter uppercase lowercase case+sensitive case+insensitive', 'letra maiúscula minúscula'],
  ['digit number', 'dígito'],
  ['blank space whitespace', 'espaço branco'],
  ['quantifier repetition', 'quantificador repetição'],
  ['anchor beginning', 'âncora início'],
  ['lookahead lookbehind lookaround', 'olhar+frente'],
  ['escape backslash', 'escapar barra+invertida'],
  ['punctuation symbol', 'pontuação sinal símbolo'],
  ['string text literal', 'texto cadeia literal'],
  ['slow performance expensive speed fast backtracking', 'lento desempenho caro velocidade rápido demorar retrocesso'],
  ['dialect flavor syntax', 'dialeto sintaxe'],
  ['offset after_parent after_prematch', 'deslocamento'],
  ['value content', 'valor conteúdo'],
  // Time and counting.
  ['frequency count times threshold often', 'frequência contar contagem vezes limiar'],
  ['timeframe window within period interval', 'timeframe janela período intervalo dentro'],
  ['second', 'segundo'],
  ['minute', 'minuto'],
  ['hour', 'hora'],
  ['day weekday', 'dia'],
  ['weekend weekday saturday sunday', 'fim+semana sábado domingo weekday'],
  ['business+hours office+hours working+hours schedule night', 'horário+comercial expediente noite madrugada'],
  ['time clock', 'horário hora relógio'],
  ['correlate correlation accumulate several+events if_matched_sid', 'correlação correlacionar'],
  ['quiet silence mute suppress silent noise noisy', 'silenciar calar suprimir silêncio ruído barulho'],
  ['first+time first+seen fts', 'primeira+vez fts'],
  ['previous history earlier', 'anterior histórico'],
  ['expire expiry ttl lifetime validity', 'expirar validade expiração vencer prazo'],
  // Network.
  ['ip address', 'ip endereço'],
  ['source src srcip', 'origem srcip'],
  ['destination dst dstip target', 'destino dstip'],
  ['cidr network subnet netmask', 'cidr rede sub-rede máscara'],
  ['port', 'porta'],
  ['source+port srcport', 'porta+origem srcport'],
  ['destination+port dstport', 'porta+destino dstport'],
  ['protocol', 'protocolo'],
  ['host hostname machine computer server', 'host máquina computador servidor'],
  ['host+name hostname', 'nome+host nome+máquina hostname'],
  ['workstation desktop client', 'estação desktop'],
  ['remote', 'remoto'],
  ['rdp remote+desktop', 'rdp'],
  ['domain dns', 'domínio dns'],
  ['country location geoip', 'país localização'],
  ['firewall packet', 'firewall pacote'],
  ['proxy', 'proxy'],
  ['vpn tunnel', 'vpn túnel'],
  ['scan scanner sweep probe', 'varredura varrer scanner'],
  ['outside external foreign outsider unauthorized', 'externo'],
  ['inside internal', 'interno'],
  ['agent endpoint sensor', 'agente'],
  ['disconnect offline stop', 'desconectar cair parar'],
  // People and access.
  ['user username account srcuser', 'usuário conta srcuser'],
  ['login logon log-in sign authenticate authentication signin', 'login logon autenticar autenticação acesso entrar acessar'],
  ['password passphrase', 'senha'],
  ['secret credential key', 'segredo credencial chave'],
  ['forgot reset recover', 'esquecer redefinir recuperar perder'],
  ['lost stolen lose', 'perder roubar'],
  ['brute+force bruteforce guessing stuffing password+spraying brute-force', 'força+bruta brute+force adivinhar'],
  ['failed+login wrong+password login+failure', 'senha+errada erro+senha falha+login'],
  ['second+factor 2fa mfa otp totp authenticator', 'segundo+fator 2fa mfa otp autenticador dois+fatores'],
  ['phone mobile device', 'celular telefone dispositivo aparelho'],
  ['administrator admin root', 'administrador admin root'],
  ['role permission right privilege', 'papel permissão direito privilégio'],
  ['member team colleague', 'membro equipe colega'],
  ['invite invitation', 'convite convidar'],
  ['organization tenant company', 'organização empresa inquilino'],
  ['single+sign sso saml oidc identity+provider', 'sso provedor+identidade login+único'],
  ['provision scim sync', 'provisionar scim sincronizar'],
  ['api+key token', 'chave+api token'],
  ['session', 'sessão'],
  ['own mine', 'próprio'],
  ['forbidden denied unauthorized not+allowed', 'proibido negado não+permitido'],
  // Content and the service.
  ['event log message line', 'evento log mensagem linha registro'],
  ['header prefix', 'cabeçalho prefixo'],
  ['comma semicolon separator delimiter pipe csv', 'vírgula separador delimitador csv separados ponto+vírgula'],
  ['key+value', 'chave+valor'],
  ['array nested', 'matriz aninhado arranjo array'],
  ['list cdb blocklist blacklist denylist allowlist whitelist watchlist lookup', 'lista cdb bloqueio+lista lista+negra consulta consultar'],
  ['variable placeholder', 'variável'],
  ['name', 'nome'],
  ['application app software', 'aplicação aplicativo software'],
  ['description', 'descrição'],
  ['comment', 'comentário'],
  ['xml markup', 'xml'],
  ['file', 'arquivo'],
  ['folder directory dir path', 'pasta diretório caminho'],
  ['encoding utf-8 utf8 bom charset unicode', 'codificação utf-8 utf8 bom acento'],
  ['template starter blueprint', 'modelo template pronto'],
  ['example sample', 'exemplo amostra'],
  ['shipped builtin built-in default standard included reference', 'padrão embutido incluído referência'],
  ['custom local', 'personalizado local próprio'],
  ['mitre technique tactic attack sub-technique', 'mitre técnica tática'],
  ['compliance pci hipaa gdpr nist', 'conformidade pci lgpd'],
  ['test try', 'testar teste experimentar'],
  ['test+case case', 'caso+teste caso'],
  ['validate check verify lint', 'validar verificar conferir checar'],
  ['measure benchmark bench speed', 'medir bench velocidade'],
  ['run execute start launch', 'rodar executar iniciar subir'],
  ['terminal shell cli command console command+line', 'terminal comando console linha+comando'],
  ['ci pipeline junit', 'pipeline ci junit'],
  ['backup save dump export', 'backup cópia exportar cópia+segurança salvar'],
  ['restore recover', 'restaurar recuperar'],
  ['upgrade update migrate', 'atualizar atualização migrar'],
  ['setting configure environment+variable configuration env parameter', 'configuração configurar parâmetro variável+ambiente ajustar'],
  ['thread worker core cpu parallel', 'thread núcleo cpu processador paralelo'],
  ['memory ram cache', 'memória ram cache'],
  ['timeout deadline', 'tempo+limite prazo'],
  ['listen bind port', 'escutar porta'],
  ['database mongo mongodb store storage', 'banco mongo mongodb armazenamento banco+dados'],
  ['data record', 'dado gravar registro'],
  ['store keep save persist', 'guardar gravar armazenar'],
  ['mail email smtp e-mail', 'mail email e-mail correio smtp'],
  ['rate+limit throttle quota 429', 'limite+taxa limite+requisições quota cota'],
  ['quota plan subscription', 'cota quota plano assinatura'],
  ['billing payment invoice charge pay', 'cobrança pagamento fatura pagar'],
  ['request call', 'requisição chamada chamar pedido'],
  ['body payload upload', 'corpo payload'],
  ['create add new', 'criar adicionar novo acrescentar'],
  ['delete remove erase wipe', 'apagar excluir remover deletar'],
  ['list view', 'listar mostrar ver exibir'],
  ['rotate renew', 'rotacionar renovar girar'],
  ['publish release deploy', 'publicar liberar deploy'],
  ['version', 'versão'],
  ['review approve approval reviewer', 'revisão aprovar aprovação revisor'],
  ['merge combine join', 'mesclar juntar unir combinar'],
  ['git repository repo github gitlab forge', 'repositório git github gitlab'],
  ['import pull fetch', 'importar puxar trazer baixar'],
  ['branch', 'ramo'],
  ['webhook callback', 'webhook'],
  ['chat slack teams message', 'chat slack teams mensagem'],
  ['notify notification notice', 'notificar notificação avisar'],
  ['concurrent meanwhile precondition etag stale', 'concorrente simultâneo'],
  ['documentation docs openapi swagger', 'documentação docs'],
  ['metrics prometheus monitoring', 'métrica monitoramento monitorar'],
  ['audit trail', 'auditoria trilha'],
  ['proxy forwarded load+balancer', 'balanceador'],
  ['container docker image', 'contêiner docker imagem'],
  // Words of titles that exist in English only.
  ['ruleset rules', 'conjunto+regras'],
  ['behaviour behavior', 'comportamento funcionar'],
  ['engine analysis analyse analyze', 'motor análise analisar'],
  ['service', 'serviço'],
  ['contract interface', 'contrato interface'],
  ['project', 'projeto'],
  ['instance installation', 'instância instalação'],
  ['provider', 'provedor'],
  ['assistant ai chatbot llm', 'assistente ia inteligência+artificial'],
  ['language model', 'modelo+linguagem'],
  ['predecoding predecoder', 'pré-decodificação predecodificador'],
  ['factor', 'fator'],
  ['feedback opinion', 'opinião retorno'],
  ['policy', 'política'],
  ['report summary', 'relatório resumo'],
  ['support', 'suporte'],
  ['integration connect link', 'integração conectar ligar vincular'],
  ['result outcome answer response', 'resultado resposta'],
  ['security', 'segurança'],
  ['system', 'sistema'],
  ['decision', 'decisão'],
  ['base knowledge', 'base conhecimento'],
  ['search find', 'procurar buscar encontrar achar'],
  ['overview dashboard', 'visão+geral painel'],
  ['state status', 'estado situação'],
  ['package', 'pacote'],
  ['cloud', 'nuvem'],
  ['register signup registration', 'cadastrar cadastro registrar inscrever'],
  ['page', 'página'],
  ['recovery backup+codes', 'recuperação códigos+recuperação'],
  ['code', 'código'],
  ['schema', 'esquema'],
  ['batch bulk many+events', 'lote massa'],
  ['archive', 'arquivar'],
  ['draft', 'rascunho'],
  ['assign', 'atribuir'],
  ['unread mark+read', 'não+lido'],
  ['attachment', 'anexo anexar'],
  ['deliver delivery redeliver send', 'entrega entregar reenviar enviar mandar'],
  ['cancel abort', 'cancelar abortar'],
  ['simulate preview impact', 'simular prévia impacto'],
  ['usage consumption', 'consumo'],
  ['checkout buy purchase', 'comprar assinar contratar'],
  ['generate produce', 'gerar produzir'],
  ['build compile reindex rebuild', 'compilar reconstruir reindexar'],
  ['load loading', 'carregar carga'],
  ['choice choose select pick', 'escolha escolher selecionar'],
  ['filter', 'filtro filtrar'],
  ['detection detect discover', 'detecção detectar descobrir'],
  ['rollback roll+back revert undo', 'voltar reverter desfazer'],
  ['prove proof ownership', 'provar comprovar'],
  ['require mandatory force enforce', 'exigir obrigatório obrigar'],
  ['retry repeat', 'novamente tentar+novamente repetir'],
  ['troubleshooting diagnose trouble', 'solução+problemas diagnosticar'],
  ['workspace', 'espaço+trabalho'],
  ['owner ownership', 'dono proprietário'],
  ['language locale translate english portuguese', 'idioma língua traduzir inglês português'],
  ['count total', 'total quantidade quantos'],
  ['download install', 'instalar baixar'],
  ['secure tls https certificate', 'tls https certificado'],
  ['connection', 'conexão'],
  ['stream live events', 'tempo+real transmissão'],
  ['blocked+user deactivate disable block', 'desativar desabilitar bloquear'],
  ['enable activate switch', 'ativar habilitar ligar'],
  ['gate quality score', 'qualidade portão pontuação'],
  ['suppression exception', 'supressão exceção'],
  ['coverage untested', 'cobertura não+testado'],
  // What is detected.
  ['process program executable', 'processo programa executável'],
  ['program+name program_name', 'nome+programa program_name'],
  ['malware virus trojan antivirus', 'malware vírus antivírus'],
  ['miner mining cryptominer cryptocurrency bitcoin monero crypto', 'minerador mineração criptomoeda bitcoin criptominerador'],
  ['webshell web+shell backdoor', 'webshell'],
  ['usb stick removable', 'usb pendrive removível'],
  ['powershell encoded script', 'powershell script'],
  ['scheduled+task cron job', 'tarefa+agendada cron agendar'],
  ['persistence autostart', 'persistência'],
  ['lateral movement', 'lateral movimentação'],
  ['web http https url site', 'web http site url'],
  ['database postgres postgresql mysql sql oracle', 'banco+dados postgres postgresql mysql sql'],
  ['ftp vsftpd proftpd', 'ftp'],
  ['mailserver postfix exim dovecot sendmail', 'postfix'],
  ['webserver apache nginx iis access+log', 'apache nginx iis'],
  ['sudo su privilege+escalation', 'sudo escalonamento+privilégio'],
  ['ssh sshd openssh', 'ssh sshd'],
  ['windows eventchannel event+log active+directory', 'windows eventos+windows'],
  ['kubernetes k8s kubectl pod', 'kubernetes k8s'],
  ['production prod', 'produção prod'],
  ['shell exec', 'exec'],
  ['aws amazon cloudtrail', 'aws amazon'],
  ['bucket s3', 'bucket s3'],
  ['empty+bucket emptied wiped', 'esvaziar esvaziado'],
  ['azure entra office365 microsoft', 'azure entra office365 microsoft'],
  ['google gcp workspace', 'google gcp'],
  ['ids ips intrusion snort suricata', 'ids ips intrusão snort suricata'],
  ['router switch', 'roteador'],
  ['log+file history log+files', 'arquivo+log logs+apagados'],
  ['ransomware encrypt', 'ransomware criptografar'],
  ['download exfiltrate leak', 'baixar vazar vazamento'],
  ['health patient medical', 'saúde paciente'],
  ['card cardholder', 'cartão'],
  ['maintenance', 'manutenção'],
]

interface Table {
  readonly words: ReadonlyMap<string, readonly string[]>
  /** By the two terms, joined by a blank. */
  readonly pairs: ReadonlyMap<string, readonly string[]>
}

/** Begins every concept: no term of a text has this sign. */
const MARK = '~'

const TABLES = new Map<Locale, Table>()

/** The concepts of each of the terms. Those of a pair are at its second term. */
export function conceptsOf(terms: readonly string[], locale: Locale): string[][] {
  const { words, pairs } = tableOf(locale)
  return terms.map((term, index) => [...(words.get(term) ?? []), ...(pairs.get(`${terms[index - 1]} ${term}`) ?? [])])
}

/** Words of the table that no text can have, because they are frequent ones. */
export function unusableWords(): string[] {
  return CONCEPTS.flatMap((both) => LOCALES.flatMap((locale, index) => both[index].split(' ').filter((word) => word.split('+').some((part) => termsOf(part, locale).length === 0))))
}

/** Makes the table of a language in slices, so that the first text does not wait for it. */
export async function prepareConcepts(locale: Locale, pauses: Pauses): Promise<void> {
  if (TABLES.has(locale)) return
  const steps = tableSteps(locale)
  while (steps.next().done !== true) await pauses.ifDue()
}

function tableOf(locale: Locale): Table {
  const known = TABLES.get(locale)
  if (known !== undefined) return known
  for (const step of tableSteps(locale)) void step
  return tableOf(locale)
}

/** A text in one language has words of the other one, such as names of tags: both are looked up, as they are stemmed there. */
function* tableSteps(locale: Locale): Generator<void, void> {
  const words = new Map<string, string[]>()
  const pairs = new Map<string, string[]>()
  for (const [index, both] of CONCEPTS.entries()) {
    const concept = `${MARK}${index}`
    for (const word of new Set(both.join(' ').split(' '))) {
      const [first, second] = word.split('+').map((part) => termsOf(part, locale)[0])
      const isPair = word.includes('+')
      if (first === undefined || (isPair && second === undefined)) continue
      const [map, key] = isPair ? [pairs, `${first} ${second}`] : [words, first]
      const concepts = map.get(key) ?? []
      if (!concepts.includes(concept)) map.set(key, [...concepts, concept])
    }
    yield
  }
  TABLES.set(locale, { words, pairs })
}
