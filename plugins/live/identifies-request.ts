/**
 * Headers in which proxies and tracing identify a single request or connection. No function of the application reads them to
 * decide what a requester sees. Not among them are headers of the client's address and those that name a proxy.
 */
const names = new Set([
  'last-event-id',
  'connection',
  'x-request-id',
  'x-correlation-id',
  'request-id', // Application Insights
  'x-request-start', // Heroku, nginx
  // W3C Trace Context and other tracing
  'traceparent',
  'tracestate',
  'baggage',
  'sentry-trace',
  'b3',
  'uber-trace-id',
  'x-ot-span-context',
  // Amazon Web Services
  'x-amzn-trace-id',
  'x-amz-cf-id',
  // Cloudflare
  'cf-ray',
  // Google Cloud
  'x-cloud-trace-context',
  // Azure
  'x-azure-ref',
  'x-arr-log-id',
  'x-appgw-trace-id',
  // Vercel, Fly.io
  'x-vercel-id',
  'fly-request-id',
])
const prefixes = ['x-b3-', 'x-datadog-']

/** Whether the header may have another value in each request, without a meaning for the response. */
export function identifiesRequest(name: string): boolean {
  return names.has(name) || prefixes.some((prefix) => name.startsWith(prefix))
}
