/** `GET /health` checks a credential. `/readyz` checks the instance. */
import Type from 'typebox'
import { CREDENTIAL, defineRoute, type Route } from './route.js'

const Health = Type.Object({ status: Type.String({ description: 'Always `ok`.' }) }, { $id: 'Health' })

export const healthRoutes: readonly Route[] = [
  defineRoute({
    id: 'health.get',
    method: 'GET',
    path: '/health',
    tag: 'Utility',
    summary: 'Check a credential',
    description: 'Answers 200 if the credential is valid, with any scopes.',
    access: CREDENTIAL,
    responses: { 200: { description: 'The credential is valid.', schema: Health, examples: { ok: { status: 'ok' } } } },
    handle: async () => ({ body: { status: 'ok' } }),
  }),
]
