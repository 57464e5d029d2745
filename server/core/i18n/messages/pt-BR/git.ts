/** O que uma validação de vínculo Git encontra, em português. */
import type { git as english } from '../en-US/git.js'

export const git = {
  path_missing: 'A branch não tem nada neste caminho.',
  path_without_content: 'O caminho não tem arquivos deste tipo.',
  strategy_unsupported: 'O provedor não oferece esta publish_strategy.',
  webhook_unsupported: 'O provedor não envia webhooks: use scheduled_sync_interval_minutes.',
  branch_protected: 'A branch é protegida: commits nela podem ser recusados. Considere publish_strategy review.',
  branch_bound: 'O projeto tem outro vínculo com esta branch.',
  symlink: 'Um link simbólico não é seguido.',
  submodule: 'Um submódulo não é lido.',
  path_unsafe: 'O caminho tem segmentos ou caracteres que não são aceitos.',
  lfs_pointer: 'O conteúdo do arquivo está no Git LFS, que não é lido.',
  not_utf8: 'O arquivo não está em UTF-8.',
  file_too_large: 'O arquivo é grande demais.',
  kind_mixed: 'O arquivo tem regras e decoders; eles devem ficar em arquivos separados.',
  kind_unknown: 'O arquivo não tem regras nem decoders.',
  list_name_too_long: 'O nome da lista tem mais de 255 caracteres.',
} as const satisfies Record<keyof typeof english, string>
