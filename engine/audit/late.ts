/** What the playground loads when somebody asks for the audit (`.build/playground.mjs`). */
export { auditLost, RuleAuditor } from './audit-rules.js'
