// How a call fails; every failure is a ClientError.

/** Whatever went wrong between the call and its answer. */
export class ClientError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** No answer came, it took too long, or it broke off. */
export class APIConnectionError extends ClientError {}

/** The stream ended before its last event: what came so far may be cut off. */
export class IncompleteStreamError extends ClientError {}

/** An answer that is not JSON, or not the events that were asked for. */
export class APIResponseError extends ClientError {}

/** The server gave up in the middle of a stream. body: the contract's error frame. */
export class APIStreamError<Body = unknown> extends ClientError {
  constructor(readonly body: Body) {
    super(JSON.stringify(body));
  }
}

/** An answer that is not a success. body: the contract's error, or text where a proxy in between answered. */
export class APIStatusError<Body = unknown> extends ClientError {
  constructor(
    readonly status: number,
    readonly body: Body,
    readonly headers: Headers,
  ) {
    super(`${status}: ${JSON.stringify(body)}`);
  }
}
