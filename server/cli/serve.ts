/** Starts the service. */
import { CONFIG_VARIABLES } from '../config.js'
import type { Command } from './command.js'

export const serve: Command = {
  name: 'serve',
  summary: 'starts the HTTP service',
  usage: [''],
  description: [
    'Answers on http://127.0.0.1:8080 until it is stopped. Without settings it keeps its data in ./data and needs no database.',
    `Settings are variables of the environment: ${CONFIG_VARIABLES.map(({ name, help }) => `${name} (${help})`).join('; ')}.`,
  ],
  options: {},
  examples: [
    { line: 'serve', meaning: 'the embedded store in ./data' },
    { line: 'serve', meaning: 'with NATIVE_SERVICE_MONGODB_URL and NATIVE_SERVICE_SECRET_KEY set: MongoDB' },
  ],
  async run({ args, env, stderr }) {
    args.requireNoOperands()
    // Loaded late: no other command needs the server's libraries.
    const { runService } = await import('../main.js')
    return runService(env, (line) => void stderr.line(`detection-content serve: ${line}`))
  },
}
