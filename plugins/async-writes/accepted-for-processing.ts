interface Parts {
  readonly url: string
  readonly job?: { readonly object: object; readonly type: string }
  readonly retryAfter?: string
  readonly meta?: Readonly<Record<string, unknown>>
}

/** The write is accepted and done later: `AcceptedForProcessing.poll('/export-jobs/1').withJob(job, 'export-jobs')`. */
export class AcceptedForProcessing {
  readonly parts: Parts

  private constructor(parts: Parts) {
    this.parts = parts
  }

  /** Where to ask how far it is: a URL, or a path of this server. */
  static poll(url: string): AcceptedForProcessing {
    return new AcceptedForProcessing({ url })
  }

  /** The document of this job, which is saved already, is the body. */
  withJob(object: object, type: string): AcceptedForProcessing {
    return new AcceptedForProcessing({ ...this.parts, job: { object, type } })
  }

  /** When to ask for the first time: in so many seconds, or at a time. */
  withRetryAfter(when: number | Date): AcceptedForProcessing {
    const retryAfter = typeof when === 'number' ? String(Math.ceil(when)) : when.toUTCString()
    return new AcceptedForProcessing({ ...this.parts, retryAfter })
  }

  /** The `meta` of the document; all there is of it without a job. */
  withMeta(meta: Readonly<Record<string, unknown>>): AcceptedForProcessing {
    return new AcceptedForProcessing({ ...this.parts, meta })
  }
}
