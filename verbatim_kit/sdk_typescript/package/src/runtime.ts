// What the clients of all contracts share: requests, retries and streams.
import { EventSourceParserStream } from "eventsource-parser/stream";
import ky, { isHTTPError } from "ky";
import {
  APIConnectionError,
  APIResponseError,
  APIStatusError,
  APIStreamError,
  IncompleteStreamError,
} from "./errors.js";

export interface ClientOptions {
  /** What stands before the document's paths; the contract's own place on 127.0.0.1:8080 if absent. */
  baseUrl?: string;
  apiKey?: string;
  /** Sent with every request. */
  headers?: Record<string, string>;
  /** How long to wait for the head of an answer; 600000 if absent. */
  timeoutMs?: number;
  /** How often an undelivered request, or one answered by 429, 503 or 529, is sent again; twice if absent. */
  maxRetries?: number;
  fetch?: typeof globalThis.fetch;
}

export interface CallOptions {
  /** Ends the call, or its stream, from outside. */
  signal?: AbortSignal;
  /** Told of the status and the headers of a stream that begins; its body is the stream's. */
  onResponse?: (response: Response) => void;
}

/** An answer, and beside it the `Response` that it came in, whose body has been read. */
export interface WithResponse<Answer> {
  data: Answer;
  response: Response;
}

/** A whole answer. `await` gives it alone, `await call.withResponse()` with its status and headers. */
export type APIPromise<Answer> = Promise<Answer> & { withResponse(): Promise<WithResponse<Answer>> };

export interface Contract {
  path: string;
  agent: string;
}

export interface Operation {
  method: string;
  path: string;
  /** Path parameters that may hold slashes. */
  slashes?: readonly string[];
  /** `either` is JSON or a text, as its content type says. */
  answer: "json" | "text" | "either" | "file" | "none";
  /** The body is sent as `multipart/form-data`. */
  isForm?: boolean;
  /** The media type of a stream of lines; one of events if absent. */
  lines?: string;
  terminator?: string;
}

export interface Arguments {
  path?: Record<string, unknown>;
  query?: Record<string, unknown>;
  headers?: Record<string, unknown>;
  body?: unknown;
}

const LONGEST_WAIT_MS = 60_000;
const BUSY = [429, 503, 529];

/** `Retry-After` says when; else the waits double from half a second, a quarter of each by chance. */
const RETRY = {
  statusCodes: BUSY,
  afterStatusCodes: BUSY,
  maxRetryAfter: LONGEST_WAIT_MS,
  backoffLimit: LONGEST_WAIT_MS,
  delay: (attempt: number) => 500 * 2 ** (attempt - 1),
  jitter: (wait: number) => wait * (1 - Math.random() / 4),
  shouldRetry: ({ error }: { error: Error }) => isHTTPError(error) ? undefined : wasRefused(error),
};

export class BaseClient {
  readonly #options: Required<Omit<ClientOptions, "apiKey">> & Pick<ClientOptions, "apiKey">;
  readonly #contract: Contract;

  constructor(contract: Contract, options: ClientOptions) {
    this.#contract = contract;
    this.#options = {
      baseUrl: `http://127.0.0.1:8080${contract.path}`,
      headers: {},
      timeoutMs: 600_000,
      maxRetries: 2,
      fetch: globalThis.fetch.bind(globalThis),
      ...options,
    };
  }

  /** Answers with what the document says of the operation, or throws a ClientError. */
  protected call<Answer>(operation: Operation, given: Arguments, options?: CallOptions): APIPromise<Answer> {
    const whole = this.#whole<Answer>(operation, given, options);
    const answer = whole.then(({ data }) => data);
    const withResponse = () => {
      answer.catch(() => undefined); // whoever asks for both is told of a failure once
      return whole;
    };
    return Object.assign(answer, { withResponse });
  }

  /** Sends the request when the first event is asked for; leaving the loop closes the connection. */
  protected async *stream<Event>(
    operation: Operation,
    given: Arguments,
    isError: (event: object) => boolean,
    options?: CallOptions,
  ): AsyncGenerator<Event, void, undefined> {
    const response = await this.#send(operation, given, options);
    options?.onResponse?.(response);
    const mediaType = operation.lines ?? "text/event-stream";
    if (!response.body || !response.headers.get("content-type")?.startsWith(mediaType)) {
      throw new APIResponseError(`not a stream as ${mediaType}: ${await wholeOf(response.text())}`);
    }
    const items = response.body
      .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
      .pipeThrough<{ data: string }>(operation.lines ? lineStream() : new EventSourceParserStream());
    const reader = items.getReader();
    try {
      for (let next = await read(reader); next; next = await read(reader)) {
        if (next.data === operation.terminator) return;
        const event = parse(next.data) as object;
        if (isError(event)) throw new APIStreamError(event);
        yield event as Event;
      }
    } finally {
      await reader.cancel().catch(() => undefined); // a stream that broke has nothing left to cancel
    }
    if (operation.terminator !== undefined) {
      throw new IncompleteStreamError(`the stream ended without ${operation.terminator}`);
    }
  }

  async #whole<Answer>(
    operation: Operation,
    given: Arguments,
    options?: CallOptions,
  ): Promise<WithResponse<Answer>> {
    const response = await this.#send(operation, given, options);
    if (operation.answer === "file") return { data: (await wholeOf(response.blob())) as Answer, response };
    const text = await wholeOf(response.text());
    if (operation.answer === "none") return { data: undefined as Answer, response };
    const isText = operation.answer === "text" || (operation.answer === "either" && !isJson(response));
    return { data: (isText ? text : parse(text)) as Answer, response };
  }

  async #send(operation: Operation, given: Arguments, options?: CallOptions): Promise<Response> {
    const { maxRetries, timeoutMs, fetch } = this.#options;
    try {
      return await ky(this.#url(operation, given), {
        method: operation.method,
        headers: this.#headers(operation, given),
        ...(given.body === undefined ? {} : { body: operation.isForm ? form(given.body) : JSON.stringify(given.body) }),
        ...(options?.signal ? { signal: options.signal } : {}),
        fetch,
        timeout: timeoutMs,
        retry: { ...RETRY, limit: maxRetries, methods: [operation.method as "get"] },
      });
    } catch (error) {
      if (!isHTTPError(error)) throw new APIConnectionError(`no answer: ${String(error)}`, { cause: error });
      const { status, headers } = error.response;
      throw new APIStatusError(status, parseOrKeep(await wholeOf(error.response.text())), headers);
    }
  }

  #url(operation: Operation, given: Arguments): string {
    let path = operation.path;
    for (const [name, value] of Object.entries(given.path ?? {})) {
      const text = encodeURIComponent(String(value));
      path = path.replace(`{${name}}`, operation.slashes?.includes(name) ? text.replaceAll("%2F", "/") : text);
    }
    const query = new URLSearchParams(pairs(given.query)).toString();
    return this.#options.baseUrl.replace(/\/+$/, "") + path + (query && `?${query}`);
  }

  /** A form gets its content type, which names the boundary, from `fetch`. */
  #headers(operation: Operation, given: Arguments): Record<string, string> {
    return {
      "user-agent": this.#contract.agent,
      ...(given.body === undefined || operation.isForm ? {} : { "content-type": "application/json" }),
      ...(this.#options.apiKey === undefined ? {} : { authorization: `Bearer ${this.#options.apiKey}` }),
      ...texts(given.headers),
      ...this.#options.headers,
    };
  }
}

function texts(values: Record<string, unknown> | undefined): Record<string, string> {
  const given = Object.entries(values ?? {}).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
}

/** Of a query; the items of a list come one by one, under its name. */
function pairs(values: Record<string, unknown> | undefined): [string, string][] {
  return Object.entries(values ?? {}).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value])
      .filter((item) => item !== undefined && item !== null)
      .map((item): [string, string] => [name, String(item)]),
  );
}

/** The members of a body as the parts of a form; those of an array and of an object come one by one. */
function form(body: unknown): FormData {
  const parts = new FormData();
  for (const [name, value] of Object.entries(body as object)) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item === undefined || item === null) continue;
      if (item instanceof Blob) parts.append(name, item);
      else if (typeof item === "object")
        for (const [key, one] of Object.entries(item)) parts.append(`${name}[${key}]`, typeof one === "string" ? one : JSON.stringify(one));
      else parts.append(name, typeof item === "string" ? item : JSON.stringify(item));
    }
  }
  return parts;
}

/** Lines out of pieces of any size; empty ones are left out. */
function lineStream(): TransformStream<string, { data: string }> {
  let begun = "";
  const send = (lines: string[], controller: TransformStreamDefaultController<{ data: string }>) => {
    for (const data of lines) if (data.trim()) controller.enqueue({ data });
  };
  return new TransformStream({
    transform(text, controller) {
      const ended = (begun + text).split("\n");
      begun = ended.pop() ?? "";
      send(ended, controller);
    },
    flush: (controller) => send([begun], controller),
  });
}

function isJson(response: Response): boolean {
  return response.headers.get("content-type")?.startsWith("application/json") ?? false;
}

async function wholeOf<Body>(body: Promise<Body>): Promise<Body> {
  try {
    return await body;
  } catch (error) {
    throw new APIConnectionError(`no whole answer: ${String(error)}`, { cause: error });
  }
}

async function read<Item>(reader: ReadableStreamDefaultReader<Item>): Promise<Item | undefined> {
  try {
    return (await reader.read()).value;
  } catch (error) {
    throw new APIConnectionError(`the stream broke: ${String(error)}`, { cause: error });
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new APIResponseError(`not JSON: ${text}`, { cause: error });
  }
}

function parseOrKeep(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Whether the request surely was not delivered, as Node tells it; a browser does not tell. */
function wasRefused(error: unknown): boolean {
  const cause = (error as { cause?: { code?: string } }).cause;
  return ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT"].includes(cause?.code ?? "");
}
