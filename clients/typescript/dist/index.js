// Written by `npm run template -- client` from the sources of the client.
// clients/typescript/src/documents.ts
function toResource(identifier, attributes, relations) {
  return {
    ...identifier,
    ...attributes && { attributes },
    ...relations && {
      relationships: Object.fromEntries(
        Object.entries(relations).filter(([, value]) => value !== void 0).map(([name, value]) => [name, { data: toLinkage(value) }])
      )
    }
  };
}
function toLinkage(value) {
  if (value === null) return null;
  return Array.isArray(value) ? value.map(toIdentifier) : toIdentifier(value);
}
function toIdentifier({ type, id, lid, pivot }) {
  return { type, ...lid === void 0 ? { id } : { lid }, ...pivot !== void 0 && { meta: { pivot } } };
}

// clients/typescript/src/errors.ts
var JsonApiError = class extends Error {
  status;
  /** The code of the first error object; null if the response is not an error document. */
  code;
  errors;
  headers;
  constructor(request, status, errors, headers) {
    const [first] = errors;
    super(`${request} returned ${status}: ${first?.detail ?? first?.title ?? "no error document"}`);
    this.name = "JsonApiError";
    this.status = status;
    this.code = first?.code ?? null;
    this.errors = errors;
    this.headers = headers;
  }
};

// clients/typescript/src/send.ts
var mediaType = "application/vnd.api+json";
var eventStream = "text/event-stream";
var longestSilence = 4e4;
function createSend(options) {
  const { fetch = globalThis.fetch } = options;
  let compareTypes = options.types ? typesCheck(options, fetch) : null;
  return (call2) => {
    const url = urlOf(call2, options);
    const headers = buildHeaders(call2, options);
    const body = call2.contentType || call2.body === void 0 ? call2.body : JSON.stringify(call2.body);
    const isRepeatable = /^(GET|DELETE)$/.test(call2.method) || "idempotency-key" in headers;
    const retries = isRepeatable ? maxRetries(options, 2) : 0;
    return repeat({ options, signal: call2.signal, retries, isTemporary }, async (token) => {
      const request = { method: call2.method, headers: { ...headers, ...token }, body, signal: call2.signal };
      const reply = await readReply(await fetch(url, request));
      if (reply.status >= 400) throw toError(url, call2, reply);
      compareTypes?.(request.headers.authorization);
      compareTypes = null;
      return reply;
    });
  };
}
function createConnector(options, call2, signal) {
  const { fetch = globalThis.fetch, random = Math.random, token, sleep } = options;
  const { delay, maxDelay } = readRetry(options);
  const url = urlOf(call2, options);
  const headers = buildHeaders({ ...call2, accept: eventStream }, options);
  const retries = maxRetries(options, 10);
  const connect = async (lastEventId, connections) => {
    if (connections > 0) await pause(random() * Math.min(maxDelay, delay * 2 ** (connections - 1)), signal, sleep);
    return repeat({ options, signal, retries, isTemporary: isUnavailable }, async (authorization) => {
      const position = lastEventId && { "last-event-id": lastEventId };
      const silence = new AbortController();
      const reason = new TypeError(`GET ${url} has no response after ${longestSilence} ms`);
      const timer = setTimeout(() => silence.abort(reason), longestSilence);
      try {
        const response = await fetch(url, {
          headers: { ...headers, ...position, ...authorization },
          signal: AbortSignal.any([signal, silence.signal])
        });
        if (!response.ok) throw toError(url, call2, await readReply(response));
        const type = response.headers.get("content-type") ?? "an empty response";
        if (response.body && type.startsWith(eventStream)) return response;
        await response.body?.cancel();
        const errors = [{ detail: `${type} is not ${eventStream}` }];
        throw new JsonApiError(`GET ${url}`, response.status, errors, response.headers);
      } finally {
        clearTimeout(timer);
      }
    });
  };
  return { connect, signal, renewsToken: typeof token === "function" };
}
async function repeat({ options, signal, retries, isTemporary: isTemporary2 }, attempt) {
  const { random = Math.random, sleep } = options;
  const { delay, maxDelay } = readRetry(options);
  for (let failures = 0; ; failures++) {
    signal?.throwIfAborted();
    const token = typeof options.token === "function" ? await options.token() : options.token;
    let after = 0;
    try {
      return await attempt(token ? { authorization: `Bearer ${token}` } : {});
    } catch (error) {
      if (failures >= retries || signal?.aborted) throw error;
      if (error instanceof JsonApiError) {
        after = retryAfter(error.headers);
        if (!isTemporary2(error) || after > maxDelay) throw error;
      }
    }
    await pause(Math.max(random() * Math.min(maxDelay, delay * 2 ** failures), after), signal, sleep);
  }
}
function readRetry({ retry }) {
  const { delay = 200, maxDelay = 1e4 } = retry || {};
  return { delay, maxDelay };
}
function maxRetries({ retry = {} }, preset) {
  return retry ? retry.retries ?? preset : 0;
}
function urlOf({ path, search }, { url }) {
  return url.replace(/\/$/, "") + path + (search ? `?${search}` : "");
}
function toError(url, { method }, reply) {
  return new JsonApiError(`${method} ${url}`, reply.status, listErrors(reply), reply.headers);
}
function buildHeaders(call2, { headers, idempotencyKeys }) {
  const key = call2.idempotencyKey ?? (idempotencyKeys && call2.method !== "GET");
  return {
    accept: call2.accept ?? mediaType,
    ...call2.body !== void 0 && { "content-type": call2.contentType ?? call2.accept ?? mediaType },
    ...headers,
    ...call2.ifMatch && { "if-match": call2.ifMatch },
    ...key && { "idempotency-key": key === true ? crypto.randomUUID() : key },
    ...call2.headers
  };
}
async function readReply(response) {
  const { status, headers } = response;
  const text = await response.text();
  const isJson = /[/+]json/.test(headers.get("content-type") ?? "");
  return { status, headers, document: text && isJson ? JSON.parse(text) : null };
}
function listErrors({ document }) {
  return Array.isArray(document?.errors) ? document.errors : [];
}
function isTemporary(error) {
  return isUnavailable(error) || error.status === 429 || error.code === "IDEMPOTENCY_KEY_IN_USE";
}
function isUnavailable({ status }) {
  return status >= 502 && status <= 504;
}
function retryAfter(headers) {
  const value = headers.get("retry-after");
  if (!value) return 0;
  const seconds = Number(value);
  return Number.isNaN(seconds) ? Math.max(0, Date.parse(value) - Date.now()) || 0 : seconds * 1e3;
}
function pause(milliseconds, signal, sleep) {
  let abort = () => {
  };
  let timer;
  return new Promise((resolve, reject) => {
    abort = () => reject(signal?.reason);
    if (signal?.aborted) return abort();
    signal?.addEventListener("abort", abort);
    if (sleep) sleep(milliseconds).then(resolve, reject);
    else timer = setTimeout(resolve, milliseconds);
  }).finally(() => {
    signal?.removeEventListener("abort", abort);
    clearTimeout(timer);
  });
}
function typesCheck({ url, types, onTypesDiffer = console.warn }, fetch) {
  return async (authorization) => {
    const headers = authorization === void 0 ? {} : { authorization };
    const request = { method: "HEAD", headers };
    const served = await fetch(`${url.replace(/\/$/, "")}/client-types.d.ts`, request).catch(() => null);
    const hash = served?.ok && served.headers.get("etag")?.replace(/^W\/|"/g, "");
    if (hash && types && !hash.startsWith(types)) {
      onTypesDiffer(
        `The server has other types (${hash}) than this client (${types}). Run npm run make -- types again.`
      );
    }
  };
}

// clients/typescript/src/to-rows.ts
function rowReader(document, include) {
  const included = /* @__PURE__ */ new Map();
  for (const resource of [document.included, document.data].flat()) {
    if (resource) included.set(resourceKey(resource), resource);
  }
  const root = createNode(include === void 0);
  for (const path of include ?? []) {
    let node = root;
    for (const name of path.split(".")) {
      const child = node.children.get(name) ?? createNode(false);
      node.children.set(name, child);
      node = child;
    }
  }
  const leaf = createNode(false);
  function toRow(resource, node) {
    const known = node.rows.get(resourceKey(resource));
    if (known) return known;
    const { type, id, attributes, relationships = {}, meta, links } = resource;
    const row = { type, id, ...attributes };
    node.rows.set(resourceKey(resource), row);
    const counts = {};
    for (const [name, { data, meta: relationMeta }] of Object.entries(relationships)) {
      const child = node.children.get(name) ?? (node.resolvesAll ? leaf : null);
      const total = relationMeta?.total;
      if (total !== void 0) counts[name] = total;
      if (data === void 0) continue;
      row[name] = Array.isArray(data) ? data.map((one) => member(one, child)) : data && member(data, child);
    }
    if (meta) row.$meta = meta;
    if (links) row.$links = links;
    if (Object.keys(counts).length > 0) row.$counts = counts;
    return row;
  }
  function member(identifier, node) {
    const resource = node && included.get(resourceKey(identifier));
    if (!resource) return toRef(identifier);
    const row = toRow(resource, node);
    return identifier.meta ? { ...row, $meta: { ...row.$meta, ...identifier.meta } } : row;
  }
  return (resource) => toRow(resource, root);
}
function toRef({ type, id, meta }) {
  return meta ? { type, id, $meta: meta } : { type, id };
}
function createNode(resolvesAll) {
  return { children: /* @__PURE__ */ new Map(), rows: /* @__PURE__ */ new Map(), resolvesAll };
}
function resourceKey({ type, id }) {
  return `${type} ${id}`;
}

// clients/typescript/src/batch.ts
var atomic = `${mediaType}; ext="https://jsonapi.org/ext/atomic"`;
async function sendBatch(send, build, options = {}) {
  const operations = [];
  const indexes = /* @__PURE__ */ new Map();
  const add = (operation, reference) => {
    if (reference) indexes.set(reference, operations.length);
    operations.push(operation);
    return reference;
  };
  const methodsOf = (type) => {
    const target = (value) => typeof value === "string" ? { type, id: value } : { type, lid: value.lid };
    const relate = (op) => (of, relationship, linkage) => {
      add({ op, ref: { ...target(of), relationship }, data: toLinkage(linkage) });
    };
    return {
      create(attributes, { id, relations } = {}) {
        const identifier = id === void 0 ? { type, lid: `${operations.length + 1}` } : { type, id };
        return add({ op: "add", data: toResource(identifier, attributes, relations) }, identifier);
      },
      update(of, attributes, { relations } = {}) {
        return add({ op: "update", data: toResource(target(of), attributes, relations) }, { changed: type });
      },
      remove: (of) => void add({ op: "remove", ref: target(of) }),
      add: relate("add"),
      replace: relate("update"),
      removeFrom: relate("remove"),
      ref: (id) => ({ type, id })
    };
  };
  const returned = build(new Proxy({}, { get: (_, type) => methodsOf(String(type)) }));
  if (operations.length === 0) return returned;
  const call2 = { method: "POST", path: "/operations", body: { "atomic:operations": operations }, accept: atomic };
  const { document } = await send({ ...call2, ...options });
  const results = document?.["atomic:results"] ?? [];
  const resolve = (value) => {
    if (typeof value !== "object" || value === null) return value;
    const index = indexes.get(value);
    if (index !== void 0) {
      const data = results[index]?.data;
      return data ? rowReader({ data }, [])(data) : void 0;
    }
    if (Array.isArray(value)) return value.map(resolve);
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, resolve(one)]));
  };
  return resolve(returned);
}

// clients/typescript/src/closable.ts
function closable(signal, start) {
  const aborter = new AbortController();
  const abort = () => aborter.abort(signal?.reason);
  let isClosed = false;
  const close = () => {
    isClosed = true;
    aborter.abort();
    return values.return();
  };
  async function* run() {
    signal?.addEventListener("abort", abort);
    if (signal?.aborted) abort();
    try {
      yield* start(aborter.signal);
    } finally {
      signal?.removeEventListener("abort", abort);
    }
  }
  const values = run();
  return {
    next: () => values.next().catch((error) => {
      if (isClosed) return { done: true, value: void 0 };
      throw error;
    }),
    return: close,
    async throw(error) {
      await close();
      throw error;
    },
    [Symbol.asyncIterator]() {
      return this;
    }
  };
}

// clients/typescript/src/server-sent-events.ts
async function* readBlocks(response, signal) {
  const reader = response.body.getReader();
  const cancel = () => void reader.cancel().catch(() => {
  });
  const decoder = new TextDecoder();
  const parse = createParser();
  signal.addEventListener("abort", cancel);
  try {
    for (; ; ) {
      signal.throwIfAborted();
      const timer = setTimeout(cancel, longestSilence);
      const lost = { done: true, value: void 0 };
      const { done, value } = await reader.read().catch(() => lost);
      clearTimeout(timer);
      if (done) return signal.throwIfAborted();
      yield* parse(decoder.decode(value, { stream: true }));
    }
  } finally {
    signal.removeEventListener("abort", cancel);
    cancel();
  }
}
function createParser() {
  let block = /* @__PURE__ */ new Map();
  let line = [];
  let endsWithCr = false;
  return (text) => {
    const blocks = [];
    const lines = (endsWithCr ? text.replace(/^\n/, "") : text).split(/\r\n|\r|\n/);
    endsWithCr = text ? text.endsWith("\r") : endsWithCr;
    for (const [index, part] of lines.entries()) {
      line.push(part);
      if (index === lines.length - 1) break;
      const whole = line.join("");
      line = [];
      if (whole) addField(block, whole);
      else {
        if (["data", "id", ""].some((name) => block.has(name))) blocks.push(block);
        block = /* @__PURE__ */ new Map();
      }
    }
    return blocks;
  };
}
function addField(block, line) {
  const [colon, before] = [line.indexOf(":"), block.get("data")];
  if (colon < 0) return;
  const name = line.slice(0, colon);
  const value = line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
  block.set(name, name === "data" && before !== void 0 ? `${before}
${value}` : value);
}

// clients/typescript/src/live.ts
async function* liveRows({ connect, signal, renewsToken }, include) {
  const rows = /* @__PURE__ */ new Map();
  const included = /* @__PURE__ */ new Map();
  let lastEventId = "";
  for (let connections = 0; ; connections++) {
    for await (const block of readBlocks(await connect(lastEventId, connections), signal)) {
      const event = block.get("event");
      const text = block.get("data");
      if (event !== "error") connections = 0;
      lastEventId = block.get("id") ?? lastEventId;
      if (text === void 0) continue;
      const { data = [], included: others = [], errors } = JSON.parse(text);
      if (event === "error") {
        const error = new JsonApiError("The stream", Number(errors?.[0]?.status ?? 500), errors ?? [], new Headers());
        if (error.status === 401 && renewsToken) break;
        throw error;
      }
      if (event === "snapshot") for (const map of [rows, included]) map.clear();
      for (const [map, resources] of [
        [rows, data],
        [included, others]
      ]) {
        for (const resource of resources) {
          if (event === "removed") map.delete(resourceKey(resource));
          else map.set(resourceKey(resource), resource);
        }
      }
      const document = { data: [...rows.values()], included: [...included.values()] };
      yield document.data.map(rowReader(document, include));
      signal.throwIfAborted();
    }
  }
}
async function* firstRows(collections) {
  let last;
  try {
    for await (const [row = null] of collections) {
      last = row;
      yield row;
    }
  } catch (error) {
    if (last === void 0 || !(error instanceof JsonApiError && error.status === 404)) throw error;
    if (last) yield null;
  }
}

// clients/typescript/src/pages.ts
var Reading = class {
  [Symbol.toStringTag] = "Promise";
  #fetch;
  #search;
  #include;
  #first;
  constructor(fetch, search, include) {
    this.#fetch = fetch;
    this.#search = search;
    this.#include = include;
  }
  // biome-ignore lint/suspicious/noThenProperty: a request is sent when it is awaited
  then(onValue, onError) {
    this.#first ??= this.#read(this.#search);
    return this.#first.then(onValue, onError);
  }
  catch(onError) {
    return this.then((value) => value, onError);
  }
  finally(run) {
    return this.then((value) => value).finally(run);
  }
  async *pages() {
    for (let page = await this; page; page = await page.next()) yield page;
  }
  async *[Symbol.asyncIterator]() {
    for await (const { data } of this.pages()) yield* data;
  }
  async #read(search) {
    const reply = await this.#fetch(search);
    const { data } = reply.document ?? {};
    if (!Array.isArray(data)) return toResult(reply, this.#include);
    const { meta = {}, links = {} } = reply.document ?? {};
    const next = readHref(links.next);
    return {
      data: data.map(rowReader(reply.document ?? {}, this.#include)),
      meta,
      links,
      etag: reply.headers.get("etag"),
      // The path is that of the first page: behind a proxy the link may have another.
      next: async () => next ? this.#read(new URL(next, "http://localhost").search.slice(1)) : null
    };
  }
};
function readHref(link) {
  return typeof link === "string" ? link : link?.href;
}
function toResult({ status, headers, document }, include) {
  const { data, meta } = document ?? {};
  const row = data ? { ...rowReader(document ?? {}, include)(data) } : null;
  if (status === 202) {
    const location = headers.get("content-location") ?? headers.get("location");
    return { accepted: true, location, retryAfter: headers.get("retry-after"), job: row };
  }
  if (!document) return void 0;
  if (data === void 0) return meta ?? {};
  const etag = headers.get("etag");
  return row && etag ? { ...row, $etag: etag } : row;
}

// clients/typescript/src/where.ts
function where(compose) {
  return writeExpression(compose);
}
function writeExpression(compose) {
  return compose(writers).text;
}
var operator = (name) => (path, ...values) => ({ text: call(name, path, ...values.map(literal)) });
var group = (name) => (...parts) => ({ text: call(name, ...parts.map(({ text }) => text)) });
var writers = {
  and: group("and"),
  or: group("or"),
  not: group("not"),
  has: (relation, compose) => ({
    text: compose ? call("has", relation, writeExpression(compose)) : call("has", relation)
  }),
  eq: operator("eq"),
  ne: operator("ne"),
  gt: operator("gt"),
  ge: operator("ge"),
  lt: operator("lt"),
  le: operator("le"),
  contains: operator("contains"),
  starts: operator("starts"),
  ends: operator("ends"),
  isIn: operator("in"),
  isNull: operator("null")
};
function call(name, ...parts) {
  return `${name}(${parts.join(",")})`;
}
function literal(value) {
  return typeof value === "string" ? `'${value.replaceAll("'", "''")}'` : String(value);
}

// clients/typescript/src/query-string.ts
function toQueryString({
  include,
  fields = {},
  filter = {},
  sort,
  page = {},
  withCount,
  params
}) {
  const search = new URLSearchParams();
  const add = (name, value) => {
    if (value !== void 0) search.append(name, toText(value));
  };
  add("include", include);
  for (const [type, names] of Object.entries(fields)) add(`fields[${type}]`, names);
  for (const [key, value] of Object.entries(filter)) {
    if (typeof value === "function") add(`filter[${key}]`, writeExpression(value));
    else if (isRange(value)) for (const [bound, limit] of Object.entries(value)) add(`filter[${key}][${bound}]`, limit);
    else add(`filter[${key}]`, value);
  }
  add("sort", sort);
  for (const [key, value] of Object.entries(page)) add(`page[${key}]`, value);
  add("withCount", withCount);
  for (const [name, value] of Object.entries(params ?? {})) add(name, value);
  return search.toString();
}
function toText(value) {
  return Array.isArray(value) ? value.map(toText).join(",") : String(value ?? "");
}
function isRange(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

// clients/typescript/src/create-client.ts
function createClient(options) {
  const send = createSend(options);
  const open = (call2, signal) => createConnector(options, call2, signal);
  const { paths = {} } = options;
  const types = /* @__PURE__ */ new Map();
  const helpers = {
    $batch: (build, batchOptions) => sendBatch(send, build, batchOptions),
    $isError: isError,
    async $attempt(request) {
      try {
        return { ok: true, value: await request };
      } catch (error) {
        if (!isError(error)) throw error;
        return { ok: false, error };
      }
    }
  };
  const get = (_, name) => {
    if (typeof name === "symbol" || name === "then") return void 0;
    if (name in helpers) return helpers[name];
    if (!types.has(name)) types.set(name, createMethods(name, send, open, paths));
    return types.get(name);
  };
  return new Proxy({}, { get });
}
var isError = (error) => error instanceof JsonApiError;
function createMethods(type, send, open, paths) {
  const segment = (name) => encodeURIComponent(paths[name] ?? name.slice(name.indexOf(".") + 1));
  const url = (id, ...rest) => [`/${segment(type)}`, ...id === void 0 ? [] : [encodeURIComponent(id)], ...rest].join("/");
  const call2 = ({ signal, headers, ifMatch, idempotencyKey }) => ({ signal, headers, ifMatch, idempotencyKey });
  const read = (path, query = {}) => new Reading(
    (search) => send({ method: "GET", path, search, signal: query.signal, headers: query.headers }),
    toQueryString(query),
    query.include
  );
  const stream = (signal, path, { headers, ...query } = {}) => liveRows(open({ method: "GET", path, search: toQueryString(query), headers }, signal), query.include);
  const write = async (method, path, options, parts = {}) => toResult(await send({ method, path, search: toQueryString(options), ...call2(options), ...parts }), options.include);
  const relate = (method) => async (id, relation, linkage, options = {}) => {
    const path = url(id, "relationships", segment(`${type}.${relation}`));
    await write(method, path, options, { body: { data: toLinkage(linkage) } });
  };
  return {
    list: (query) => read(url(), query),
    live: (query) => closable(query?.signal, (signal) => stream(signal, url(), query)),
    liveOne: (id, query) => closable(query?.signal, (signal) => firstRows(stream(signal, url(id), query))),
    find: (filter, query) => read(url(), { ...query, filter }).then((row) => row),
    get: (id, query) => read(url(id), query).then((row) => row),
    related: (id, relation, query) => read(url(id, segment(`${type}.${relation}`)), query),
    async linkage(id, relation, options = {}) {
      const path = url(id, "relationships", segment(`${type}.${relation}`));
      const { document } = await send({ method: "GET", path, search: toQueryString(options), ...call2(options) });
      return toMembers(document?.data);
    },
    create: (attributes, { id, relations, ...options } = {}) => write("POST", url(), options, {
      body: { data: toResource({ type, ...id !== void 0 && { id } }, attributes, relations) }
    }),
    update: (id, attributes, { relations, ...options } = {}) => write("PATCH", url(id), options, { body: { data: toResource({ type, id }, attributes, relations) } }),
    remove: (id, options = {}) => write("DELETE", url(id), options),
    add: relate("POST"),
    replace: relate("PATCH"),
    removeFrom: relate("DELETE"),
    action(name, { id, method = "POST", input, contentType, ...options } = {}) {
      const path = url(id, "-actions", encodeURIComponent(name));
      return write(method, path, options, actionBody(input, contentType));
    },
    ref: (id) => ({ type, id })
  };
}
function actionBody(input, contentType) {
  if (input === void 0) return {};
  if (contentType !== void 0) return { body: input, contentType };
  const { type, id, attributes, relations } = input;
  return { body: { data: toResource({ type, ...id !== void 0 && { id } }, attributes, relations) } };
}
function toMembers(data) {
  return Array.isArray(data) ? data.map(toRef) : data && toRef(data);
}
export {
  JsonApiError,
  createClient,
  where
};
