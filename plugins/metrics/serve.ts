import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AppConfig } from '#kernel/plugin'

/** A registry of prom-client. */
export interface MetricsSource {
  readonly contentType: string
  metrics(): Promise<string>
}

/** Serves `GET /metrics` and nothing else. */
export async function serveMetrics(source: MetricsSource, variables: AppConfig['variables']): Promise<Server> {
  const server = createServer(async (request, response) => {
    if (request.method !== 'GET' || request.url !== '/metrics') {
      response.writeHead(404).end()
      return
    }
    const text = await source.metrics().catch(() => null) // a worker has exited or did not respond in time
    if (text === null) response.writeHead(503).end()
    else response.writeHead(200, { 'Content-Type': source.contentType }).end(text)
  })
  server.listen(Number(variables.METRICS_PORT), String(variables.METRICS_HOST)).unref()
  await once(server, 'listening')
  return server
}
