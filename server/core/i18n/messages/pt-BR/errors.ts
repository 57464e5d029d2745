/** Textos de erro em português. */
import type { ErrorReason } from '../../../errors.js'
import type { None, StrayPlaceholders } from '../../texts.js'
import type { errors as english } from '../en-US/errors.js'

export const errors = {
  body_unparseable: { message: 'O corpo não é um JSON válido.', hint: 'Envie um objeto JSON, em UTF-8, com Content-Type: application/json.' },
  body_encoding_broken: { message: 'O corpo não é um {encoding} válido, ou foi cortado.', hint: 'Comprima o corpo inteiro de novo, ou envie-o sem Content-Encoding.' },
  body_encoding_unnamed: {
    message: 'A linha {line} começa como {encoding}, e a requisição não tem Content-Encoding.',
    hint: 'Envie Content-Encoding: {encoding}, ou o corpo sem compressão.',
  },
  line_unparseable: { message: 'A linha {line} não é um JSON válido.', hint: 'Envie um objeto JSON por linha, em UTF-8.' },
  body_aborted: { message: 'O corpo terminou antes do tamanho declarado.', hint: 'Envie o corpo inteiro; a conexão pode ter sido interrompida.' },
  chunks_too_small: {
    message: 'O corpo foi enviado em partes pequenas demais.',
    hint: 'Envie partes (chunks) de {bytes} bytes ou mais em média; qualquer cliente HTTP faz isso quando recebe o corpo inteiro.',
  },
  path_malformed: { message: 'O caminho contém codificação por porcentagem malformada.', hint: 'Codifique os caracteres especiais dos segmentos do caminho.' },
  header_malformed: { message: 'O cabeçalho {header} não pôde ser lido.', hint: 'Veja a descrição do cabeçalho no documento da interface.' },
  ruleset_unreadable: { message: 'Pelo menos um arquivo está malformado: o Wazuh não conseguiria lê-lo.', hint: 'Veja em details.diagnostics o arquivo, a linha e o motivo.' },
  ruleset_stopped: {
    message: 'O conjunto de regras não pôde ser compilado dentro dos limites de tempo e memória.',
    hint: 'Veja em details.diagnostics onde ele foi interrompido.',
  },
  http_malformed: { message: 'A requisição HTTP está malformada.', hint: 'Confira o cliente e os proxies diante deste serviço.' },
  reset_token_invalid: { message: 'O token de redefinição está errado, já foi usado ou expirou.', hint: 'Peça outro com POST /auth/password-reset/request.' },
  invitation_expired: { message: 'O convite expirou.', hint: 'Peça um novo a um administrador da organização.' },
  sso_state_invalid: { message: 'Este login expirou, já foi usado ou não foi iniciado aqui.', hint: 'Inicie o login novamente.' },
  sso_unconfirmed: {
    message: 'Uma página de outro site enviou você para este login.',
    hint: 'Entre pelo link se for isso o que você quer.',
  },
  sso_browser_other: {
    message: 'Este login foi iniciado em outro navegador, ou este não guarda cookies.',
    hint: 'Inicie o login novamente neste navegador.',
  },
  webhook_refused: {
    message: 'O vínculo não existe, ou a assinatura não é a do seu segredo.',
    hint: 'Configure no provedor o endereço e o segredo do vínculo, e o tipo application/json; POST …/rotate-secret gera um novo segredo.',
  },
  billing_signature_invalid: {
    message: 'A assinatura do evento está ausente, está errada ou tem mais de cinco minutos.',
    hint: 'Defina NATIVE_SERVICE_GATEWAY_WEBHOOK_SECRET com o segredo de assinatura deste endpoint e confira o relógio do servidor.',
  },
  billing_event_malformed: {
    message: 'O corpo assinado não é um evento do gateway de pagamento.',
    hint: 'Envie os eventos do próprio gateway, na versão da API que server/BILLING.md indica.',
  },
  domain_shared: {
    message: 'Qualquer pessoa pode ter um e-mail em {domain}, por isso nenhuma organização pode reivindicar esse domínio.',
    hint: 'Reivindique o domínio dos seus próprios endereços de e-mail.',
  },
  target_refused: {
    message: 'O endereço não é público, ou resolve para um que não é: loopback, link-local, privado ou especial.',
    hint: 'Use um endereço público; o operador deste serviço pode permitir outros.',
  },
  scim_refused: { message: 'A requisição viola o protocolo SCIM.', hint: 'Corrija a requisição conforme o detalhe.' },
  integration_kind_wrong: { message: 'A integração não é do tipo {kind}.', hint: 'Indique uma integração desse tipo; GET integrations mostra a lista.' },

  provider_credentials_refused: {
    message: '{provider} recusou a credencial.',
    hint: 'O token pode ter expirado ou sido revogado: envie novas credenciais com PATCH na integração.',
  },
  provider_scope_missing: {
    message: 'Falta à credencial uma permissão em {provider}.',
    hint: 'Dê ao token ou aplicativo os escopos de details.scopes, ou acesso de escrita ao repositório.',
  },
  provider_not_found: {
    message: '{provider} não tem esse objeto, ou a credencial não tem acesso a ele.',
    hint: 'Verifique o que details.what indica, e os direitos da credencial.',
  },
  provider_branch_protected: { message: '{provider} protege a branch.', hint: 'Use publish_strategy "review", ou permita que a credencial faça push na branch.' },
  provider_head_moved: { message: 'A branch em {provider} tem novos commits.', hint: 'Importe-os e repita a requisição.' },
  provider_rate_limited: { message: '{provider} limita a taxa de requisições.', hint: 'Repita a requisição depois de details.retry_at; sem ele, depois de alguns minutos.' },
  provider_unavailable: { message: '{provider} não respondeu, ou respondeu com um erro próprio.', hint: 'Tente mais tarde; details.failure diz o que aconteceu.' },
  provider_redirect_refused: { message: '{provider} respondeu com um redirecionamento, que não é seguido.', hint: 'Defina base_url da integração com o endereço final.' },
  provider_too_large: {
    message: 'Um limite deste serviço para {provider} foi excedido.',
    hint: 'Veja details.limit; selecione menos arquivos, arquivos menores ou outro repositório.',
  },
  provider_unsupported: { message: '{provider} não oferece esta operação.', hint: 'GET /platform/git-providers/capabilities lista o que cada provedor oferece.' },
  provider_refused: { message: '{provider} recusou a requisição.', hint: 'Veja details.status e details.provider_message.' },

  oidc_unreachable: {
    message: 'O provedor de identidade não respondeu, ou respondeu com um erro próprio.',
    hint: 'Tente mais tarde; details.endpoint e details.failure ou details.status dizem o que aconteceu.',
  },
  oidc_too_large: {
    message: 'Uma resposta do provedor de identidade é mais longa do que este serviço lê.',
    hint: 'Verifique os endereços do provedor; details.endpoint indica qual.',
  },
  oidc_answer_invalid: {
    message: 'O provedor de identidade deu uma resposta que o OpenID Connect não permite.',
    hint: 'Verifique issuer e discovery_url do provedor; details.endpoint e details.status ou details.field dizem o que está errado.',
  },
  oidc_issuer_mismatch: {
    message: 'O provedor de identidade informa um emissor diferente do configurado.',
    hint: 'Defina issuer como details.found se esse é o seu provedor; cada caractere conta, inclusive a barra final.',
  },
  oidc_endpoint_insecure: { message: 'O provedor de identidade anuncia um endereço sem https.', hint: 'Configure TLS no provedor; details.field indica o endereço.' },
  oidc_unsupported: { message: 'O provedor de identidade não oferece nada que este serviço possa usar para details.field.', hint: 'Altere a configuração do cliente no provedor.' },
  oidc_login_refused: { message: 'O provedor de identidade recusou o login.', hint: 'details.error é o motivo; um administrador pode consultá-lo no log do provedor.' },
  oidc_login_canceled: {
    message: 'O login foi cancelado no provedor de identidade, ou ele não permite o seu acesso.',
    hint: 'Faça login novamente, ou peça acesso a um administrador.',
  },
  oidc_response_invalid: {
    message: 'A resposta não pertence a um login deste provedor de identidade.',
    hint: 'Inicie o login novamente.',
  },
  oidc_client_refused: {
    message: 'O provedor de identidade não aceita o cliente desta organização.',
    hint: 'Um administrador precisa verificar client_id e client_secret do provedor; o segredo pode ter expirado.',
  },
  oidc_code_refused: { message: 'O provedor de identidade não aceita o código deste login: ele já foi usado ou expirou.', hint: 'Inicie o login novamente.' },
  oidc_exchange_refused: {
    message: 'O provedor de identidade se recusou a concluir o login.',
    hint: 'details.error é o motivo; um administrador precisa verificar as configurações do cliente no provedor.',
  },
  oidc_token_invalid: {
    message: 'O provedor de identidade enviou um token que não passa em uma verificação, por isso o login termina aqui.',
    hint: 'Inicie o login novamente. Se o erro continuar, um administrador precisa comparar as configurações com details.check.',
  },
  oidc_tenant_refused: {
    message: 'Contas do seu tenant não podem fazer login aqui.',
    hint: 'Use uma conta de outro tenant, ou peça a um administrador que inclua o seu em tenant_ids.',
  },
  oidc_claim_refused: {
    message: 'A sua conta no provedor de identidade não cumpre uma condição desta organização.',
    hint: 'Um administrador pode ver em required_claims o valor que details.claim deve ter.',
  },
  oidc_userinfo_invalid: { message: 'O provedor de identidade não confirmou quem você é: as respostas se contradizem.', hint: 'Inicie o login novamente.' },

  credential_missing: { message: 'Esta requisição exige uma credencial.', hint: 'Envie X-API-Key, Authorization: Bearer ou o cookie de sessão.' },
  credential_invalid: { message: 'A credencial está errada, foi revogada ou expirou.', hint: 'Entre novamente ou use uma chave de API válida.' },
  session_required: { message: 'Esta requisição exige uma sessão de usuário; chaves de API não são aceitas.', hint: 'Entre com POST /auth/login.' },
  login_failed: { message: 'O e-mail ou a senha está errado.', hint: 'Confira os dois; uma senha esquecida pode ser redefinida.' },
  second_factor_required: {
    message: 'A conta tem um segundo fator.',
    hint: 'Envie details.challenge e um código a POST /auth/login/second-factor, antes de details.expires_at.',
  },
  second_factor_code_required: {
    message: 'A conta tem um segundo fator.',
    hint: 'Repita a requisição com um código do autenticador, ou um código de recuperação, em "code".',
  },
  second_factor_wrong: { message: 'O código está errado ou já foi usado.', hint: 'Envie o próximo código do autenticador, ou um código de recuperação ainda não usado.' },
  challenge_invalid: { message: 'O desafio está errado, já foi usado ou expirou.', hint: 'Entre com POST /auth/login de novo.' },

  scim_token_required: {
    message: 'Esta requisição exige um token de provisionamento (SCIM).',
    hint: 'Um administrador cria um com POST /platform/organizations/{organization_id}/scim-tokens.',
  },
  permission_missing: { message: 'Seu papel ou sua chave não tem a permissão {permission}.', hint: 'Peça a um administrador da organização ou use uma chave com o escopo certo.' },
  platform_admin_required: { message: 'Somente um administrador da plataforma pode fazer isto.', hint: 'Entre como administrador da plataforma.' },
  organization_not_yours: {
    message: 'A organização indicada na requisição não é uma das suas.',
    hint: 'Omita X-Org-Id (no login, organization_id) ou indique uma organização sua; uma chave tem exatamente uma.',
  },
  organization_missing: {
    message: 'Você não é membro de nenhuma organização, e esta requisição exige uma.',
    hint: 'Peça um convite; um administrador da plataforma pode escolher uma organização com X-Org-Id.',
  },
  sso_required: { message: 'A organização exige login pelo provedor de identidade dela.', hint: 'Entre pelo provedor de identidade da organização.' },
  second_factor_missing: {
    message: 'A organização exige um segundo fator, e esta sessão foi aberta sem ele.',
    hint: 'Configure um segundo fator com POST /auth/me/second-factor e entre novamente.',
  },
  password_wrong: { message: 'A senha da conta está errada.', hint: 'Uma senha esquecida pode ser redefinida com POST /auth/password-reset/request.' },
  code_wrong: { message: 'O código está errado ou já foi usado.', hint: 'Envie o próximo código do autenticador, ou um código de recuperação ainda não usado.' },
  password_session_required: {
    message: 'Uma sessão de um provedor de identidade não pode mudar a senha nem o segundo fator.',
    hint: 'Entre com e-mail e senha.',
  },
  organization_suspended: { message: 'A organização está suspensa.', hint: 'Fale com o operador deste serviço.' },
  domain_unproven: {
    message: 'Uma conta já tem este e-mail, e a organização não comprovou o domínio dele.',
    hint: 'Convide o usuário ou comprove o domínio com POST /platform/organizations/{organization_id}/domains.',
  },
  own_second_factor: {
    message: 'O seu próprio segundo fator é removido com um código.',
    hint: 'Envie um código a POST /auth/me/second-factor/remove ou peça a outro administrador da plataforma.',
  },
  own_review: { message: 'Você não pode decidir uma revisão que abriu.', hint: 'Peça a outro revisor; numa organização de um só membro é permitido.' },
  not_own_review: { message: 'Só quem abriu uma revisão pode retirá-la.', hint: 'Quem pode aprovar revisões a fecha com PATCH na revisão.' },
  user_inactive: { message: 'A conta do usuário está desativada.', hint: 'Fale com o operador deste serviço.' },
  account_email_refused: {
    message: 'O e-mail da conta não pode ser alterado.',
    hint: 'A organização deve ter comprovado o domínio do novo e-mail, e a conta deve pertencer só a esta organização: provisionada por ela ou de um domínio que ela comprovou.',
  },
  scim_filter_refused: { message: 'Esquemas, tipos de recurso e a configuração do provedor de serviço não podem ser filtrados.', hint: 'Envie a requisição sem filtro.' },
  former_member: {
    message: 'Você foi removido da organização.',
    hint: 'Peça a um administrador da organização um novo convite e depois faça login outra vez.',
  },
  sso_email_missing: {
    message: 'O provedor de identidade não informa o seu endereço de e-mail.',
    hint: 'Um administrador define email_claim e scopes do provedor de identidade, ou o endereço de e-mail da sua conta nele.',
  },
  sso_email_unverified: {
    message: 'O provedor de identidade não verificou o seu endereço de e-mail.',
    hint: 'Verifique o endereço no provedor de identidade. Se ele verifica todos os endereços sem informar isso, um administrador define trust_email.',
  },
  sso_not_in_plan: { message: 'O plano da organização não inclui login único.', hint: 'Entre com e-mail e senha, ou mude de plano.' },
  assistant_not_in_plan: { message: 'O plano da organização não inclui o assistente.', hint: 'Um administrador da organização pode mudar o plano.' },
  api_access_not_in_plan: { message: 'O plano da organização não inclui chaves de API.', hint: 'Entre com uma conta de usuário, ou mude de plano.' },
  ai_provider_failed: {
    message: 'O provedor do assistente falhou.',
    hint: 'Tente novamente mais tarde. Se a falha continuar, um administrador da plataforma verifica a configuração com POST /platform/admin/ai/test; details.failure informa o tipo da falha.',
  },
  assistant_xml_empty: { message: 'A requisição não tem regras nem decoders.', hint: 'Envie rules_xml, decoders_xml ou ambos.' },
  assistant_disabled: { message: 'O assistente está desativado nesta instância.', hint: 'Um administrador da plataforma o ativa com PUT /platform/admin/ai/config.' },
  key_outlives_caller: { message: 'A chave expira depois da chave da requisição.', hint: 'Gere o novo segredo com uma sessão de usuário ou com uma chave que não expire antes.' },
  signup_disabled: { message: 'O cadastro aberto está desativado nesta instância.', hint: 'Peça um convite.' },
  origin_refused: { message: 'Uma requisição com o cookie de sessão deve vir deste site.', hint: 'Envie Origin ou Referer deste host, ou use um token bearer em vez do cookie.' },
  billing_gateway_disabled: {
    message: 'A cobrança está desativada: toda organização tem todos os recursos, sem limites.',
    hint: 'O operador do serviço a ativa com NATIVE_SERVICE_BILLING_GATEWAY.',
  },
  billing_unconfigured: {
    message: 'O gateway de pagamento não está configurado.',
    hint: 'O operador do serviço define NATIVE_SERVICE_STRIPE_SECRET_KEY e os preços; veja server/BILLING.md.',
  },
  billing_unavailable: {
    message: 'O gateway de pagamento não concluiu a requisição. Nada foi cobrado.',
    hint: 'Tente novamente mais tarde. Os detalhes nomeiam a falha; o log do serviço tem mais.',
  },
  billing_subscription_required: { message: 'A organização não tem assinatura no gateway de pagamento.', hint: 'Comece uma com POST …/billing/checkout.' },
  organization_canceled: {
    message: 'A assinatura está cancelada, e o período pago vai até {ends_at}.',
    hint: 'Compre de novo depois desse momento. Até lá, o plano vale como antes.',
  },
  plan_not_for_sale: {
    message: 'Não há plano com este id que possa ser comprado.',
    hint: 'GET /billing/plans/public lista os planos; os que têm contact_sales são vendidos pelo operador.',
  },
  over_plan_limit: {
    message: 'A organização tem mais {metric} do que o plano permite ({limit}). Os mais antigos podem ser alterados; este só pode ser lido.',
    hint: 'Um administrador da organização pode mudar o plano. Nada foi excluído.',
  },
  plan_quota_exceeded: { message: 'O limite do plano para {metric} foi atingido: {limit}.', hint: 'Espere o próximo período ou mude de plano.' },

  route_missing: { message: 'Não há nada neste caminho.', hint: 'Todos os caminhos começam com /api/v1; veja o documento da interface.' },
  resource_missing: { message: 'Este objeto não existe.', hint: 'Confira o id e se ele pertence a esta organização.' },
  compiled_hash_unknown: {
    message: 'Não há conjunto de regras compilado com este hash em cache para esta organização.',
    hint: 'Envie os arquivos de novo; a resposta traz o hash.',
  },

  not_acceptable: { message: 'A resposta não pode ser dada em um tipo que Accept indica.', hint: 'Aceite um destes: {types}.' },
  method_not_allowed: { message: 'O método {method} não é permitido aqui.', hint: 'Veja o cabeçalho Allow.' },
  request_timeout: { message: 'A requisição demorou demais para chegar.', hint: 'Envie de novo, sem pausas.' },

  bootstrap_done: { message: 'O primeiro administrador desta instância já foi criado.', hint: 'Entre ou peça um convite.' },
  email_taken: { message: 'O endereço de e-mail já está cadastrado.', hint: 'Entre ou redefina a senha.' },
  member_exists: { message: 'O usuário já é membro desta organização.', hint: 'Mude o papel com PATCH no membro.' },
  second_factor_enabled: { message: 'A conta já tem um segundo fator.', hint: 'Remova-o primeiro, com POST /auth/me/second-factor/remove.' },
  second_factor_absent: { message: 'A conta não tem um segundo fator ao qual isto se aplique.', hint: 'Comece com POST /auth/me/second-factor.' },
  last_admin: { message: 'A organização precisa ter pelo menos um org_admin.', hint: 'Dê antes o papel org_admin a outro membro.' },
  policy_locks_out: { message: 'Sem o provedor de identidade, nenhum org_admin conseguiria entrar.', hint: 'Inclua antes um org_admin ativo e com senha em break_glass_user_ids.' },
  break_glass_unusable: {
    message: '{user} não pode ser usuário de emergência: só org_admins ativos e com senha podem.',
    hint: 'Dê ao usuário o papel org_admin e uma senha ou indique outro usuário.',
  },
  domain_exists: { message: 'A organização já reivindicou este domínio.', hint: 'Verifique a reivindicação existente.' },
  domain_taken: { message: 'Outra organização comprovou este domínio.', hint: 'Se o domínio é seu, remova antes o registro TXT da outra organização.' },
  domain_record_missing: {
    message: '{domain} não tem um registro TXT com o texto esperado.',
    hint: 'Crie o registro que details.expected mostra; uma mudança pode levar uma hora para aparecer.',
  },
  domain_listed: {
    message: 'Outro provedor de identidade lista o domínio {domain}.',
    hint: 'Remova-o de lá. Se outra organização o lista, comprove que o domínio é seu com POST /platform/organizations/{organization_id}/domains.',
  },
  identity_provider_limit: { message: 'A organização tem {limit} provedores de identidade; não pode haver mais.', hint: 'Exclua os que não são mais usados.' },
  identity_provider_required: {
    message: 'A organização exige um provedor de identidade, e este é o último.',
    hint: 'Defina antes sso_required da política de identidade como false, ou crie outro provedor.',
  },
  identity_provider_absent: { message: 'A organização não tem provedor de identidade que possa ser exigido.', hint: 'Crie antes um provedor de identidade.' },
  domain_limit: { message: 'A organização tem {limit} domínios; não pode haver mais.', hint: 'Exclua os que não são mais usados.' },
  scim_token_limit: { message: 'A organização tem {limit} tokens de provisionamento; não pode haver mais.', hint: 'Revogue os que não são mais usados.' },
  scim_user_exists: { message: 'Um usuário com este userName ou este e-mail já está provisionado.', hint: 'Encontre o usuário com um filtro e atualize-o.' },
  scim_user_limit: { message: 'A organização tem {limit} usuários provisionados; não pode haver mais.', hint: 'Exclua os usuários que saíram.' },
  scim_group_exists: {
    message: 'A organização tem um grupo com este displayName.',
    hint: 'Atualize esse grupo ou escolha outro nome. Maiúsculas e minúsculas não fazem diferença.',
  },
  scim_group_limit: { message: 'A organização tem {limit} grupos provisionados; não pode haver mais.', hint: 'Envie somente os grupos que dão papéis.' },
  last_platform_admin: { message: 'A instância precisa ter pelo menos um administrador da plataforma.', hint: 'Torne outra pessoa administradora da plataforma primeiro.' },
  invitation_used: { message: 'O convite já foi usado.', hint: 'Entre.' },
  member_limit: { message: 'A organização tem {limit} membros; não pode haver mais.', hint: 'Remova os membros que já saíram.' },
  organization_limit: { message: 'O usuário pertence a {limit} organizações; não pode haver mais.', hint: 'Peça a remoção do usuário das organizações que ele deixou.' },
  invitation_limit: { message: 'A organização tem {limit} convites pendentes; não pode haver mais.', hint: 'Cancele os que não serão aceitos ou espere que expirem.' },
  api_key_limit: { message: 'A organização tem {limit} chaves de API; não pode haver mais.', hint: 'Revogue as vencidas ou que não são mais usadas.' },
  project_archived: { message: 'O projeto está arquivado: pode ser lido, mas não alterado.', hint: 'Tire-o do arquivo com POST …/unarchive.' },
  project_not_archived: { message: 'Só um projeto arquivado pode ser excluído.', hint: 'Arquive-o antes com POST …/archive.' },
  project_busy: { message: 'Uma verificação ou publicação de um vínculo Git do projeto ainda está em execução.', hint: 'Repita a requisição em um minuto.' },
  project_limit: { message: 'A organização tem {limit} projetos; não pode haver mais.', hint: 'Peça ao operador deste serviço.' },
  case_limit: {
    message: 'Um projeto pode ter no máximo {limit} casos, com {bytes} bytes no total.',
    hint: 'Exclua casos redundantes, ou divida o projeto.',
  },
  workspace_limit: { message: 'O projeto tem {limit} workspaces abertos; não pode haver mais.', hint: 'Feche os que não estão em uso.' },
  workspace_in_review: { message: 'O workspace tem uma revisão aberta.', hint: 'Decida ou feche a revisão antes.' },
  workspace_closed: { message: 'O workspace está fechado.', hint: 'Abra-o de novo com status open, ou crie outro.' },
  review_final: { message: 'A revisão está fechada, ou seu workspace foi publicado ou excluído: a decisão é final.', hint: 'Abra uma nova revisão.' },
  comment_limit: { message: 'A revisão tem {limit} comentários; não pode haver mais.', hint: 'Abra uma nova revisão.' },
  version_limit: { message: 'O projeto tem {limit} versões; não pode haver mais.', hint: 'Peça ao operador deste serviço.' },
  publish_refused: {
    message: 'A versão não passa no controle de qualidade: {rules}.',
    hint: 'Veja em details.quality_gate_result.failed_rules os diagnósticos e os casos que falham.',
  },
  version_published: { message: 'A versão já está publicada.', hint: 'Crie uma nova versão para publicar outro conteúdo.' },
  version_not_restorable: { message: 'Só uma versão que já foi publicada pode ser restaurada.', hint: 'Publique a versão, para que ela passe pelo controle de qualidade.' },
  version_not_draft: { message: 'A versão já não é um rascunho.', hint: 'Crie uma nova versão.' },
  feedback_limit: { message: 'A organização tem {limit} relatos; não pode haver mais.', hint: 'Exclua relatos já resolvidos.' },
  attachment_limit: { message: 'Os relatos da organização têm {limit} anexos; não pode haver mais.', hint: 'Exclua relatos já resolvidos ou envie este sem anexos.' },
  webhook_limit: { message: 'A organização tem {limit} webhooks; não pode haver mais.', hint: 'Exclua os que não são mais usados.' },
  webhook_inactive: { message: 'O webhook está desativado; nada é enviado a ele.', hint: 'Ative-o antes: PATCH com is_active true.' },
  integration_limit: { message: 'A organização tem {limit} integrações; não pode haver mais.', hint: 'Exclua as que não são mais usadas.' },
  credentials_unreadable: {
    message: 'As credenciais armazenadas não podem ser decifradas.',
    hint: 'A chave secreta do serviço foi trocada: envie as credenciais de novo com PATCH, na integração ou no provedor de identidade.',
  },
  pipeline_run_ended: { message: 'A execução terminou.', hint: 'Inicie outra.' },
  pipeline_run_orphaned: { message: 'A integração da execução foi excluída.', hint: 'Cancele a execução no provedor dela.' },
  pipeline_run_limit: { message: 'A integração tem {limit} execuções que não terminaram; não pode haver mais.', hint: 'Espere que algumas terminem, ou cancele-as.' },
  binding_limit: { message: 'A organização tem {limit} vínculos Git; não pode haver mais.', hint: 'Exclua os que não são mais usados.' },
  binding_orphaned: { message: 'A integração do vínculo foi excluída.', hint: 'Indique outra: PATCH com integration_id.' },
  git_conflicts: {
    message: 'O projeto e a branch alteraram os mesmos itens de formas diferentes.',
    hint: 'Importe a branch para um workspace e decida ali os conflitos de details.conflicts; depois publique uma versão dele e repita a requisição.',
  },
  git_gate_failed: { message: 'O conteúdo não passa no controle de qualidade.', hint: 'Veja details.failed_rules; POST …/preflight mostra os diagnósticos e os casos.' },
  git_publish_running: {
    message: 'Outra publicação deste vínculo está em execução.',
    hint: 'Repita a requisição quando a execução details.run_id terminar, no mais tardar em details.ends_by.',
  },
  git_publish_interrupted: { message: 'A publicação foi interrompida, e o commit dela não está na branch.', hint: 'Publique de novo.' },
  git_path_occupied: { message: 'Um link, ou um arquivo que não é texto, tem o caminho {path} no repositório.', hint: 'Remova-o ou renomeie-o, ou altere os caminhos do vínculo.' },
  review_branch_moved: {
    message: 'A branch {branch} da revisão tem commits que este serviço não fez.',
    hint: 'Faça o merge ou feche a revisão e publique de novo; nada foi sobrescrito.',
  },
  head_changed: {
    message: 'O último commit da branch não é o que a requisição indica.',
    hint: 'details.commit_sha é o commit atual; repita a importação sem resolutions e decida de novo.',
  },
  variable_clash: {
    message: 'Arquivos do repositório definem a variável {name} com valores diferentes.',
    hint: 'details.variables indica variáveis e arquivos: renomeie uma, ou dê às duas o mesmo valor.',
  },
  upload_offset_wrong: { message: 'O envio continua no byte {offset}.', hint: 'Envie a parte que começa ali; o registro tem a posição em received_bytes.' },
  object_store_refused: {
    message: 'O operador não permite nenhum armazenamento de objetos com este endereço.',
    hint: 'Use um endereço abaixo de um dos da configuração OBJECT_STORES deste serviço, ou envie os eventos.',
  },
  corpus_unready: { message: 'O corpus não foi enviado por inteiro, ou está sendo excluído.', hint: 'Envie primeiro as partes que faltam.' },
  replay_unfinished: { message: 'O replay não tem resultado.', hint: 'Espere até que o status seja succeeded.' },
  replay_ended: { message: 'O replay terminou.', hint: 'Leia o status.' },
  corpus_gone: { message: 'Os eventos do corpus foram excluídos.', hint: 'Envie-os de novo como outro corpus.' },
  edit_conflict: { message: 'Outra pessoa alterou isto no mesmo instante.', hint: 'Leia de novo e repita a alteração.' },
  idempotency_key_reused: { message: 'Esta Idempotency-Key já foi usada em outra requisição.', hint: 'Use uma chave nova para uma requisição nova.' },
  idempotency_in_progress: { message: 'A primeira requisição com esta Idempotency-Key ainda está em andamento.', hint: 'Espere que ela termine e repita a sua.' },

  precondition_failed: { message: 'O registro mudou desde a versão indicada em If-Match.', hint: 'Leia-o de novo e envie o novo ETag.' },
  payload_too_large: { message: 'O corpo é maior que {limit} bytes.', hint: 'Envie menos; divida um lote em partes.' },
  upload_beyond_size: { message: 'A parte pode ter no máximo {limit} bytes.', hint: 'Envie uma parte menor, ou crie um corpus de outro tamanho.' },
  document_too_large: { message: 'Os dados são maiores do que um registro, ou uma alteração de vários registros, comporta.', hint: 'Diminua o registro, ou divida a alteração.' },
  answer_too_large: { message: 'A resposta teria mais de {limit} bytes.', hint: 'Peça menos de uma vez, ou um fluxo de linhas (`Accept: application/x-ndjson`).' },
  media_type_unsupported: { message: 'O corpo é do tipo {received}, e esta requisição recebe {expected}.', hint: 'Envie Content-Type: {expected}.' },
  media_type_missing: { message: 'O corpo não tem tipo, e esta requisição recebe {expected}.', hint: 'Envie Content-Type: {expected}.' },
  body_encoded: {
    message: 'O corpo tem o Content-Encoding {encoding}, que o serviço não lê.',
    hint: 'Envie o corpo como está (identity), ou em outra destas codificações: {expected}.',
  },

  validation_failed: { message: 'O corpo não corresponde ao esquema desta requisição.', hint: 'Veja cada campo em details.errors.' },
  request_validation_failed: { message: 'A requisição não corresponde ao seu esquema.', hint: 'Veja cada campo em details.errors.' },
  batch_without_settings: {
    message: 'A primeira linha de um lote deve conter as configurações, mas a linha {line} é um evento.',
    hint: 'Envie as configurações (files, trace, session_id) na primeira linha, ou {} se não houver nenhuma, e depois os eventos.',
  },

  rate_limited: { message: 'Requisições demais.', hint: 'Espere os segundos indicados em Retry-After.' },
  login_throttled: { message: 'Tentativas de login demais.', hint: 'Espere os segundos indicados em Retry-After ou redefina a senha.' },
  second_factor_throttled: { message: 'Códigos errados demais para esta conta.', hint: 'Espere os segundos indicados em Retry-After.' },
  account_throttled: {
    message: 'Logins malsucedidos demais com este endereço de e-mail.',
    hint: 'Espere os segundos indicados em Retry-After ou redefina a senha com POST /auth/password-reset/request, o que encerra a espera.',
  },
  address_throttled: { message: 'Logins malsucedidos demais a partir deste endereço de rede.', hint: 'Espere os segundos indicados em Retry-After.' },
  signup_throttled: { message: 'Cadastros demais a partir deste endereço.', hint: 'Espere os segundos indicados em Retry-After.' },
  sse_connection_limit_exceeded: {
    message: 'Você já tem o máximo de fluxos de eventos abertos: {limit}.',
    hint: 'Feche um deles ou espere os segundos indicados em Retry-After.',
  },

  headers_too_large: { message: 'Os cabeçalhos são maiores que {limit} bytes.', hint: 'Envie menos; cookies de outros serviços deste host também contam.' },

  scim_unsupported: { message: 'O serviço não oferece esta operação do SCIM.', hint: 'GET /ServiceProviderConfig lista o que ele oferece.' },
  internal_error: { message: 'Ocorreu um erro interno.', hint: 'Tente de novo; informe o debug_id ao relatar o erro.' },
  saml_unsupported: {
    message: 'Este serviço não processa respostas SAML.',
    hint: 'Entre por OpenID Connect; a maioria dos provedores de identidade oferece os dois protocolos.',
  },
  dns_unavailable: { message: 'Nenhum servidor de nomes respondeu.', hint: 'Tente novamente mais tarde.' },
  handler_timeout: {
    message: 'A requisição levou mais de {seconds} segundos e foi interrompida.',
    hint: 'Tente de novo após os segundos em Retry-After ou peça menos de cada vez.',
  },
  limit_reached: {
    message: 'Há operações demais em andamento ao mesmo tempo.',
    hint: 'Veja em details qual recurso e de quem é o limite. Tente de novo após os segundos indicados em Retry-After, com menos requisições simultâneas.',
  },
  overloaded: { message: 'O serviço está ocupado.', hint: 'Tente de novo após os segundos indicados em Retry-After.' },
  database_unavailable: { message: 'O banco de dados não responde.', hint: 'Tente de novo após os segundos indicados em Retry-After.' },
  shutting_down: { message: 'Esta instância está parando.', hint: 'Tente de novo; outra instância responderá.' },
  storage_full: { message: 'O disco do serviço está cheio; nada foi gravado.', hint: 'Avise o operador; tente de novo mais tarde.' },
} as const satisfies Record<ErrorReason, { readonly message: string; readonly hint: string }>

/** Does not compile when a text has a placeholder that the English one lacks. */
export type ErrorsAgree = None<StrayPlaceholders<typeof english, typeof errors>>
