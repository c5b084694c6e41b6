import { context, propagation, type SpanKind, trace } from '@opentelemetry/api'
import { NodeSDK } from '@opentelemetry/sdk-node'

type Processor = NonNullable<NonNullable<ConstructorParameters<typeof NodeSDK>[0]>['spanProcessors']>[number]
type Sampler = NonNullable<NonNullable<ConstructorParameters<typeof NodeSDK>[0]>['sampler']>
export type CollectedSpan = Parameters<Processor['onEnd']>[0]

export interface SpanCollector {
  /** Resolves to the spans since the last call, in the order of their start, when all of them have ended. */
  take(): Promise<readonly CollectedSpan[]>
  stop(): Promise<void>
}

/** Registers an SDK that keeps the spans in memory. The plugin must be created afterwards. */
export function collectSpans(sampler?: Sampler): SpanCollector {
  let started: string[] = []
  let ended = new Map<string, CollectedSpan>()
  let changed = Promise.withResolvers<void>()
  const collector: Processor = {
    onStart: (span) => void started.push(span.spanContext().spanId),
    onEnd(span) {
      ended.set(span.spanContext().spanId, span)
      changed.resolve()
      changed = Promise.withResolvers()
    },
    forceFlush: async () => {},
    shutdown: async () => {},
  }
  const sdk = new NodeSDK({ autoDetectResources: false, spanProcessors: [collector], ...(sampler && { sampler }) })
  sdk.start()
  return {
    async take() {
      while (ended.size < started.length) await changed.promise
      const spans = started.map((id) => ended.get(id) as CollectedSpan)
      started = []
      ended = new Map()
      return spans
    },
    async stop() {
      await sdk.shutdown()
      unregisterSdk()
    },
  }
}

/** Removes the SDK of the process, so that another test can register one. */
export function unregisterSdk(): void {
  for (const api of [trace, context, propagation]) api.disable()
}

export function ofKind(spans: readonly CollectedSpan[], kind: SpanKind): readonly CollectedSpan[] {
  return spans.filter((span) => span.kind === kind)
}

/** The span and its ancestors, the nearest first. */
export function spanPath(span: CollectedSpan, spans: readonly CollectedSpan[]): readonly CollectedSpan[] {
  const parent = spans.find((other) => other.spanContext().spanId === span.parentSpanContext?.spanId)
  return parent ? [span, ...spanPath(parent, spans)] : [span]
}
