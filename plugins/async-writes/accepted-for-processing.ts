import type { ApiResponse, Operation } from '#kernel/plugin'
import { respondAccepted } from './respond.ts'

interface Parts {
  readonly url: string
  readonly job?: { readonly object: object; readonly type: string }
  readonly retryAfter?: string
  readonly meta?: Readonly<Record<string, unknown>>
}

/** The 202 response of a write: `AcceptedForProcessing.poll('/export-jobs/1').withJob(job, 'export-jobs')`. */
export class AcceptedForProcessing {
  readonly parts: Parts

  private constructor(parts: Parts) {
    this.parts = parts
  }

  /** The URL that clients poll for the state, or a path of this server. */
  static poll(url: string): AcceptedForProcessing {
    return new AcceptedForProcessing({ url })
  }

  /** Renders the saved job as the response document. */
  withJob(object: object, type: string): AcceptedForProcessing {
    return new AcceptedForProcessing({ ...this.parts, job: { object, type } })
  }

  /** Sets `Retry-After`, in seconds or as a date. */
  withRetryAfter(when: number | Date): AcceptedForProcessing {
    const retryAfter = typeof when === 'number' ? String(Math.ceil(when)) : when.toUTCString()
    return new AcceptedForProcessing({ ...this.parts, retryAfter })
  }

  /** The 202 response, with the job as it is in the transaction of the operation. */
  respond(operation: Operation): Promise<ApiResponse> {
    return respondAccepted(this, operation)
  }

  /** Sets the `meta` of the document. Without a job the document has no other member. */
  withMeta(meta: Readonly<Record<string, unknown>>): AcceptedForProcessing {
    return new AcceptedForProcessing({ ...this.parts, meta })
  }
}
