/** Samples of events of projects, and replays of contents on them. */
import { sealedField } from '../../core/auth/reseal.js'
import type { OpenWing, Wing } from '../../core/wing.js'
import { content } from '../../content/index.js'
import { corpusImportJob } from './corpora/import.js'
import { ObjectReader } from './corpora/object-store.js'
import { corpusEndJob, endingCorporaOf } from './corpora/retention.js'
import { corpusRoutes } from './corpora/routes.js'
import { CorporaService } from './corpora/service.js'
import { CORPORA, CORPUS_CHUNKS, sealedForCorpus, sealedForSource } from './corpora/store.js'
import { replayJob } from './runs/run.js'
import { replayRoutes } from './runs/routes.js'
import { deleteReplaysOf, ReplaysService } from './runs/service.js'
import { REPLAYS, sealedForReplay } from './runs/store.js'

export const replays: Wing = {
  collections: [CORPORA, CORPUS_CHUNKS, REPLAYS],
  sealed: [
    sealedField({ collection: CORPORA, field: 'data_key', purpose: 'corpus', place: sealedForCorpus }),
    sealedField({ collection: CORPORA, field: 'source', purpose: 'corpus', place: sealedForSource }),
    sealedField({ collection: REPLAYS, field: 'result', purpose: 'corpus', place: sealedForReplay }),
  ],
  open(context): OpenWing {
    const { config, identities, pool, quotas, notices, jobs, clock } = context
    const { secrets } = identities
    const corpora = new CorporaService({ secrets, quotas, jobs, onDeleting: deleteReplaysOf, objectStores: config.objectStores, clock })
    const reader = new ObjectReader()
    const replaysOf = new ReplaysService({ secrets, quotas, jobs, corpora, clock })
    context.get(content).onDeletingProject.push((scope, projectId) => endingCorporaOf(scope, projectId, jobs, new Date(clock())))
    return {
      routes: [...corpusRoutes(corpora), ...replayRoutes(replaysOf)],
      jobs: [corpusEndJob({ clock, onDeleting: deleteReplaysOf }), corpusImportJob({ secrets, reader, clock }), replayJob({ pool, secrets, notices, clock })],
      close: async () => reader.close(),
    }
  },
}
