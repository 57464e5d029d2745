/** Messages to chats in English. `gateways/messaging/compose.ts` checks that every event has its texts, and that every placeholder is a field of its payload. */
export const messaging = {
  open: 'Open',
  test: { title: 'Test message', text: 'The integration {integration} posts its events here.' },
  events: {
    'validation.completed': { title: 'Content validated', text: 'Diagnostics: {diagnostic_count}. Rules: {total_rules}. Decoders: {total_decoders}.' },
    'logtest.completed': { title: 'Event tested', text: 'Final rule: {matched_rule_id}.' },
    'regression.completed': { title: 'Cases run: {project_name}', text: 'Passed: {passed_cases}. Failed: {failed_cases}. Total: {total_cases}.' },
    'regression.passed': { title: 'Cases passed: {project_name}', text: 'Passed: {passed_cases} of {total_cases}.' },
    'regression.failed': { title: 'Cases failed: {project_name}', text: 'Failed: {failed_cases} of {total_cases}.' },
    'review.created': { title: 'Review requested: {title}', text: 'Project: {project_name}.' },
    'review.approved': { title: 'Review approved: {title}', text: 'Project: {project_name}.' },
    'review.changes_requested': { title: 'Changes requested: {title}', text: 'Project: {project_name}.' },
    'review.rejected': { title: 'Review rejected: {title}', text: 'Project: {project_name}.' },
    'version.created': { title: 'Version created: {name}', text: 'Project: {project_name}. Quality score: {quality_score}.' },
    'version.published': { title: 'Version published: {name}', text: 'Project: {project_name}. Quality score: {quality_score}.' },
    'publish.failed': {
      title: 'Version not published: {name}',
      text: 'Project: {project_name}. Quality score: {quality_score}. Failed conditions of the quality gate: {failed_rules}.',
    },
    'feedback.created': { title: 'New feedback: {title}', text: 'Kind: {kind}.' },
    'api_key.created': { title: 'API key created: {name}', text: 'Scopes: {scopes}.' },
    'api_key.revoked': { title: 'API key revoked: {name}', text: '' },
  },
} as const
