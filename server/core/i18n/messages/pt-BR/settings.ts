/** Descrições das configurações do serviço, em português. */
import type { None, StrayPlaceholders } from '../../texts.js'
import type { settings as english } from '../en-US/settings.js'

export const settings = {
  host: 'endereço em que o serviço escuta',
  port: 'porta em que o serviço escuta; 0: qualquer uma que esteja livre',
  peerAddress:
    'host:porta em que outras instâncias alcançam esta, cada processo seguinte na porta seguinte; também escuta ali; sem valor: as instâncias não compartilham sessões de logtest',
  mongodbUrl: 'string de conexão do MongoDB, com o banco de dados no caminho; sem ela: o armazenamento embutido',
  dataDir: 'armazenamento embutido, segredo gerado, conteúdo próprio da instância, e-mails gravados como arquivos',
  secretKey: 'pelo menos {characters} caracteres, dos quais todas as chaves são derivadas; gerada em DATA_DIR com o armazenamento embutido',
  secretKeyPrevious: 'a chave secreta anterior, enquanto a chave é trocada: usada apenas para leitura',
  defaultRulesetDir: 'pasta com decoders/, rules/ e lists/; sem ela: o conjunto de regras de referência do pacote',
  customContentDir: 'o conteúdo próprio da instância, recarregado quando muda; sem ela: DATA_DIR/custom',
  workers: 'threads de análise; sem ela: uma por núcleo',
  processes:
    'processos que atendem; as threads de análise e a sua memória são divididas entre eles; sem valor: metade dos núcleos se houver mais de três e memória suficiente, senão um',
  rulesetCacheMb: 'memória para conjuntos de regras compilados, somadas todas as threads',
  taskTimeoutMs: 'tempo máximo de uma tarefa de análise',
  sessionTtlSeconds: 'validade de um token de acesso e do cookie',
  invitationTtlSeconds: 'validade de um convite',
  passwordResetTtlSeconds: 'validade de um token de redefinição de senha',
  ssoStateTtlSeconds: 'quanto tempo um login em um provedor de identidade pode levar',
  defaultLocale: 'idioma para quem não indica nenhum: pt-BR ou en-US',
  selfSignupEnabled: 'se qualquer pessoa pode registrar uma organização',
  smtpUrl: 'servidor SMTP dos e-mails; sem ela: cada e-mail é um arquivo em DATA_DIR/outbox',
  mailFrom: 'remetente dos e-mails',
  publicBaseUrl: 'endereço público do serviço: links nos e-mails e nos chats, origem permitida das requisições com cookie',
  apiPublicBaseUrl: 'endereço público da API, com o seu /api/v1: webhooks de forjas Git, links dos status de commits',
  trustedProxies: 'CIDRs, separados por vírgulas, cujos X-Forwarded-For e X-Forwarded-Proto são aceitos',
  maxRequestBytes: 'tamanho máximo do corpo de uma requisição',
  rateLimitEnabled: 'limites de taxa das rotas com chave; os de login e de cadastro continuam ativos',
  rateLimitPerMinute: 'requisições por minuto, por rota com chave e por chamador',
  rateLimitPerHour: 'requisições por hora, por rota com chave e por chamador',
  sseConnectionsPerUser: 'fluxos de eventos que um usuário pode ter abertos ao mesmo tempo',
  aiRateLimitPerMinute: 'requisições de um usuário ao assistente em um minuto, em todas as instâncias',
  docsExposure: 'quem vê /openapi.json, /docs e /redoc',
  playgroundEnabled: 'se /playground é servido, a todos que alcançam o serviço',
  metricsToken: 'token bearer de /metrics; sem ela: /metrics fica desativado',
  platformAdminEmails: 'endereços de e-mail de outros administradores da plataforma',
  billingGateway: 'provedor de pagamentos; disabled: sem cobrança e sem limites de plano; senão, organizações novas começam no plano `free`',
  billingSuccessPath: 'página à qual o navegador volta depois do pagamento, com ?checkout=success',
  gatewayWebhookSecret: 'segredo de assinatura do webhook do provedor de pagamentos; sem valor: mock deriva um, stripe fica sem configuração',
  stripeSecretKey: 'chave secreta da Stripe, ou uma restrita',
  stripePublishableKey: 'chave publicável da Stripe, que a visão geral da cobrança mostra',
  stripePrices: 'preços da Stripe por plano e intervalo: team.month=price_123,team.year=price_456',
  billingTrialDays: 'dias antes do primeiro pagamento da primeira assinatura de uma organização',
  aiKnowledgeBasePath: 'uma pasta de arquivos Markdown que o assistente também pesquisa, além do que o próprio serviço sabe',
  allowPrivateTargets: 'se webhooks e integrações podem usar endereços de loopback, link-local e privados; só para instâncias com membros de confiança',
  objectStores: 'URLs de base de armazenamentos compatíveis com S3, separadas por vírgulas, dos quais corpora podem ser importados',
  logLevel: 'severidade mínima que é registrada no log',
} as const satisfies { readonly [S in keyof typeof english]: string }

/** Does not compile when a text has a placeholder that the English one lacks. */
export type SettingsAgree = None<StrayPlaceholders<typeof english, typeof settings>>
