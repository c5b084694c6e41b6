import { ProxyTracerProvider, trace } from '@opentelemetry/api'

/** Whether an SDK has registered a tracer provider. */
export function hasSdk(): boolean {
  const provider = trace.getTracerProvider()
  return !(provider instanceof ProxyTracerProvider) || provider.getDelegateTracer('') !== undefined
}

/** Exports the spans that the SDK has collected, if its tracer provider can: `forceFlush` is specified for the SDK only. */
export async function flushSpans(): Promise<void> {
  const provider = trace.getTracerProvider()
  const delegate = provider instanceof ProxyTracerProvider ? provider.getDelegate() : provider
  const { forceFlush } = delegate as { forceFlush?: () => Promise<void> }
  await forceFlush?.call(delegate).catch(() => {}) // the SDK reports the error by its diagnostic logger
}
