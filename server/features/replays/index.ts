/** Samples of events of projects, and replays of contents on them. */
import { sealedField } from '../../core/auth/reseal.js'
import type { OpenWing, Wing } from '../../core/wing.js'
import { content } from '../../content/index.js'
import { corpusEndJob, endingCorporaOf } from './corpora/retention.js'
import { corpusRoutes } from './corpora/routes.js'
import { CorporaService } from './corpora/service.js'
import { CORPORA, CORPUS_CHUNKS, sealedForCorpus } from './corpora/store.js'

export const replays: Wing = {
  collections: [CORPORA, CORPUS_CHUNKS],
  sealed: [sealedField({ collection: CORPORA, field: 'data_key', purpose: 'corpus', place: sealedForCorpus })],
  open(context): OpenWing {
    const { identities, quotas, jobs, clock } = context
    const corpora = new CorporaService({ secrets: identities.secrets, quotas, jobs, clock })
    context.get(content).onDeletingProject.push((scope, projectId) => endingCorporaOf(scope, projectId, jobs, new Date(clock())))
    return { routes: corpusRoutes(corpora, clock), jobs: [corpusEndJob(clock)] }
  },
}
