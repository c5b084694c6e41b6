import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AppConfig } from '#kernel/plugin'

/** Renders all metrics for the header Accept of a request. */
type RenderMetrics = (accept: string) => Promise<{ readonly contentType: string; readonly text: string }>

/** Serves `GET /metrics` and nothing else. */
export async function serveMetrics(render: RenderMetrics, variables: AppConfig['variables']): Promise<Server> {
  const server = createServer(async (request, response) => {
    if (request.method !== 'GET' || request.url !== '/metrics') {
      response.writeHead(404).end()
      return
    }
    // A worker may have exited, or may not respond in time.
    const rendered = await render(request.headers.accept ?? '').catch(() => null)
    if (rendered === null) response.writeHead(503).end()
    else response.writeHead(200, { 'Content-Type': rendered.contentType }).end(rendered.text)
  })
  server.listen(Number(variables.METRICS_PORT), String(variables.METRICS_HOST)).unref()
  await once(server, 'listening')
  return server
}
