/** Checks a binding against its repository before it is created. What the provider refuses is a finding here and no error of the request. */
import type { AnalysisPool } from '#workers'
import { ApiError, type ErrorReason } from '../../../core/errors.js'
import { capabilitiesOf } from '../gateways/git/index.js'
import type { GitBranch, GitGateway } from '../gateways/git/gateway.js'
import type { GitProvider } from '../gateways/providers.js'
import type { Locale } from '../../../core/i18n/locale.js'
import { errorTexts, gitFindingText } from '../../../core/i18n/translate.js'
import { loadChangeable } from '../../../content/shared/load.js'
import type { Scope } from '../../../core/tenancy/scope.js'
import type { IntegrationsService } from '../integrations/service.js'
import { composeContent } from './compose.js'
import { isBelow } from './paths.js'
import { readRepository, SHOWN_SKIPPED, type SkipReason } from './read-repository.js'
import type { GitBindingCreateRequest } from './schema.js'
import { checkedFields } from './service.js'
import { GIT_BINDINGS } from './store.js'

/** What a validation finds besides errors of the provider and skipped files. */
export const BINDING_FINDINGS = ['path_missing', 'path_without_content', 'strategy_unsupported', 'webhook_unsupported', 'branch_protected', 'branch_bound'] as const
export type BindingFinding = (typeof BINDING_FINDINGS)[number]

export interface ValidationEntry {
  readonly code: string
  readonly message: string
  /** File or folder of the repository; null: the finding has none. */
  readonly path: string | null
}

export interface BindingValidation {
  readonly valid: boolean
  readonly warnings: readonly ValidationEntry[]
  readonly errors: readonly ValidationEntry[]
}

export interface ValidateParts {
  readonly integrations: Pick<IntegrationsService, 'get' | 'openGit'>
  readonly pool: Pick<AnalysisPool, 'mergeFiles'>
}

interface Caller {
  readonly scope: Scope
  readonly locale: Locale
  readonly signal: AbortSignal
}

/** @throws ApiError resource_missing (project or integration), project_archived, request_validation_failed */
export async function validateBinding({ integrations, pool }: ValidateParts, request: GitBindingCreateRequest, caller: Caller): Promise<BindingValidation> {
  const { scope, locale, signal } = caller
  const { lists_path = null, ...source } = checkedFields(request, locale)
  await Promise.all([loadChangeable(scope, request.project_id), integrations.get(scope, request.integration_id)])
  const findings = new Findings(locale)
  try {
    const { integration, gateway } = await integrations.openGit(scope, request.integration_id)
    const provider = integration.provider as GitProvider
    const branch = await gateway.getBranch(source.repository, source.branch, signal)
    checkProvider(findings, provider, request, branch)
    await checkOthers(findings, scope, { ...request, ...source })
    const paths = { rules_path: source.rules_path, decoders_path: source.decoders_path, lists_path }
    const { repository } = source
    const read = { repository, commitSha: branch.commitSha, paths, provider }
    await checkPaths(findings, gateway, read, signal)
    const { files, skipped } = await readRepository(gateway, read, signal)
    for (const { code, path } of skipped) findings.warn(code, path)
    for (const [kind, path] of [
      ['rules', paths.rules_path],
      ['decoders', paths.decoders_path],
      ['lists', lists_path],
    ] as const)
      if (path !== null && !files.some((file) => file.kind === kind)) findings.warn('path_without_content', path)
    await composeContent(pool, files, paths, [], caller)
  } catch (error) {
    // Anything else is a fault of the service, or the caller has disconnected.
    if (!(error instanceof ApiError) || error.reason === 'internal_error' || signal.aborted) throw error
    findings.fail(error)
  }
  return findings.result
}

function checkProvider(findings: Findings, provider: GitProvider, { publish_strategy, sync_on_webhook = false }: GitBindingCreateRequest, { isProtected }: GitBranch): void {
  const { supports_direct_publish, supports_review_publish, supports_webhook_sync } = capabilitiesOf(provider)
  if (!(publish_strategy === 'direct' ? supports_direct_publish : supports_review_publish)) findings.refuse('strategy_unsupported', null)
  if (sync_on_webhook && !supports_webhook_sync) findings.warn('webhook_unsupported', null)
  if (publish_strategy === 'direct' && isProtected) findings.warn('branch_protected', null)
}

/** Several projects may bind one branch; two bindings of one project to one branch would import each other's publications. */
async function checkOthers(findings: Findings, scope: Scope, { project_id, integration_id, repository, branch }: GitBindingCreateRequest): Promise<void> {
  const others = await scope.collection(GIT_BINDINGS).find({ project_id })
  if (others.some((other) => other.integration_id === integration_id && other.repository === repository && other.branch === branch)) findings.warn('branch_bound', null)
}

type Read = Parameters<typeof readRepository>[1]

async function checkPaths(findings: Findings, gateway: GitGateway, { repository, commitSha, paths }: Read, signal: AbortSignal): Promise<void> {
  const tree = await gateway.listFiles(repository, commitSha, signal)
  for (const path of new Set([paths.rules_path, paths.decoders_path, paths.lists_path]))
    if (path !== null && !tree.some((file) => isBelow(file.path, path))) findings.refuse('path_missing', path)
}

/** Collects findings with their texts. */
class Findings {
  readonly #locale: Locale
  readonly #warnings: ValidationEntry[] = []
  readonly #errors: ValidationEntry[] = []

  constructor(locale: Locale) {
    this.#locale = locale
  }

  get result(): BindingValidation {
    return { valid: this.#errors.length === 0, warnings: this.#warnings.slice(0, SHOWN_SKIPPED), errors: this.#errors }
  }

  warn(code: BindingFinding | SkipReason, path: string | null): void {
    this.#warnings.push(this.#entry(code, path))
  }

  refuse(code: BindingFinding, path: string | null): void {
    this.#errors.push(this.#entry(code, path))
  }

  fail({ reason, params }: { readonly reason: ErrorReason; readonly params: Readonly<Record<string, string | number>> }): void {
    this.#errors.push({ code: reason, message: errorTexts(reason, this.#locale, params).message, path: null })
  }

  #entry(code: BindingFinding | SkipReason, path: string | null): ValidationEntry {
    return { code, message: gitFindingText(code, this.#locale), path }
  }
}
