/** Exits with 0 when the service on this host is ready. The image limits how long it takes. */
const port = process.env.NATIVE_SERVICE_PORT ?? '8080'
try {
  const { ok } = await fetch(`http://127.0.0.1:${port}/readyz`)
  process.exitCode = ok ? 0 : 1
} catch {
  process.exitCode = 1
}
