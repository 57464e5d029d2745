/** Catalogs of a project: a thread of the pool compiles its content as for a logtest, and returns the matching items. */
import type { AnalysisPool, CatalogPageAnswer, DecoderCatalogItem, FileScope, RequestOptions, RuleCatalogItem, RulesetSelection, TaskOutcome } from '#workers'
import { ApiError } from '../../core/errors.js'
import { issue } from '../../core/http/validation/issue.js'
import { invalidRequest } from '../../core/http/validation/refuse.js'
import type { Locale } from '../../core/i18n/locale.js'
import { rulesetOf } from '../shared/content.js'
import { loadOfProject, loadProject, loadSnapshot } from '../shared/load.js'
import type { ProjectDocument } from '../shared/project.js'
import { type WorkspaceDocument, WORKSPACES } from '../shared/workspace.js'
import { okOf, stopOf } from '../../core/pool-outcome.js'
import type { Page } from '../../core/tenancy/page.js'
import type { Scope } from '../../core/tenancy/scope.js'
import type { CATALOG_SCOPES, DecoderCatalogQuery, RuleCatalogQuery } from './schema.js'

/** Scopes of files, by `scope` of the query; null: all. */
const FILE_SCOPES: Readonly<Record<(typeof CATALOG_SCOPES)[number], readonly FileScope[] | null>> = { own: ['adhoc'], default: ['default'], custom: ['custom'], all: null }
/** Value of `parent` that selects root decoders. */
const NO_PARENT = 'none'

/** Who asks. */
export interface CatalogCaller {
  readonly scope: Scope
  readonly locale: Locale
  readonly signal: AbortSignal
}

type Pool = Pick<AnalysisPool, 'catalog'>

export class CatalogService {
  readonly #pool: Pool

  constructor(pool: Pool) {
    this.#pool = pool
  }

  /** @throws ApiError resource_missing, request_validation_failed, ruleset_unreadable, ruleset_stopped, edit_conflict, overloaded */
  async rules(projectId: string, query: RuleCatalogQuery, caller: CatalogCaller): Promise<Page<RuleCatalogItem>> {
    const { scope = 'own', level, group, attack_id, decoded_as, source_file, depends_on, rule_ids, search, sort, order, limit, offset } = query
    const [from, to = from] = level === undefined ? [] : level.split('-').map(Number)
    if (from !== undefined && to !== undefined && from > to) throw invalidRequest([issue('query/level', 'invalid', { ascending: true })], caller.locale)
    const request = {
      of: 'rules',
      scopes: FILE_SCOPES[scope],
      selection: {
        ...(rule_ids === undefined ? {} : { ids: rule_ids.split(',').map(Number) }),
        ...(from === undefined || to === undefined ? {} : { levels: [from, to] as const }),
        ...(depends_on === undefined ? {} : { dependsOn: Number(depends_on) }),
        ...definedOf({ group, attackId: attack_id, decodedAs: decoded_as, sourceFile: source_file, search }),
        sort,
        order,
        limit,
        offset,
      },
    } as const
    return pageOf(await this.#pool.catalog(await rulesetFor(caller.scope, projectId, query.workspace_id), request, optionsOf(caller)), caller.signal)
  }

  /** @throws ApiError resource_missing, ruleset_unreadable, ruleset_stopped, edit_conflict, overloaded */
  async decoders(projectId: string, query: DecoderCatalogQuery, caller: CatalogCaller): Promise<Page<DecoderCatalogItem>> {
    const { scope = 'own', name, parent, source_file, search, sort, order, limit, offset } = query
    const request = {
      of: 'decoders',
      scopes: FILE_SCOPES[scope],
      selection: {
        ...definedOf({ name, sourceFile: source_file, search }),
        ...(parent === undefined ? {} : { parent: parent === NO_PARENT ? null : parent }),
        sort,
        order,
        limit,
        offset,
      },
    } as const
    return pageOf(await this.#pool.catalog(await rulesetFor(caller.scope, projectId, query.workspace_id), request, optionsOf(caller)), caller.signal)
  }
}

/** Reads the content of the project or of the workspace. @throws ApiError resource_missing, edit_conflict */
async function rulesetFor(scope: Scope, projectId: string, workspaceId: string | undefined): Promise<RulesetSelection> {
  const load = () => (workspaceId === undefined ? loadProject(scope, projectId) : loadOfProject(scope, WORKSPACES, projectId, workspaceId))
  const { owner, content } = await loadSnapshot<ProjectDocument | WorkspaceDocument>(scope, load)
  return rulesetOf({ ...content, include_disk_defaults: owner.include_disk_defaults, include_disk_custom: owner.include_disk_custom })
}

function optionsOf({ scope, locale, signal }: CatalogCaller): RequestOptions {
  return { organization: scope.organizationId, locale, signal }
}

function pageOf<T>(outcome: TaskOutcome<CatalogPageAnswer<T>>, signal: AbortSignal): Page<T> {
  const stopped = stopOf(outcome)
  if (stopped !== null) throw new ApiError('ruleset_stopped', { details: { diagnostics: [stopped.diagnostic] } })
  const { unreadable, page } = okOf(outcome, signal)
  if (unreadable.length > 0) throw new ApiError('ruleset_unreadable', { details: { diagnostics: unreadable } })
  return page
}

/** Returns the filters that were sent. */
function definedOf<T extends Readonly<Record<string, string | undefined>>>(filters: T): { readonly [K in keyof T]?: string } {
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined)) as { readonly [K in keyof T]?: string }
}
