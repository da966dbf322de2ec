// What the clients of all contracts do alike, against a server that answers as told.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { test } from "node:test";
import { clientOf, load, loadPets } from "./package.mjs";

const models = { object: "list", data: [] };
const failure = { error: { message: "Too many", type: "rate_limit", param: null, code: "busy" } };
const chat = { model: "a", messages: [{ role: "user", content: "Hi" }] };
const chunk = { id: "1", choices: [] };

/** Runs `body` with a client of a server that gives `replies` in turn, the last one again and again. */
async function scripted(replies, options, body, make = (options) => clientOf("openai", options)) {
  const requests = [];
  const server = createServer(async (request, response) => {
    let content = "";
    for await (const piece of request) content += piece;
    requests.push({ url: request.url, headers: request.headers, content, closed: once(response, "close") });
    const reply = replies[Math.min(requests.length, replies.length) - 1];
    response.writeHead(reply.status ?? 200, { "content-type": reply.type ?? "application/json", ...reply.headers });
    response.write(reply.text ?? JSON.stringify(reply.json));
    if (!reply.stays) response.end();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  try {
    const baseUrl = `http://127.0.0.1:${server.address().port}`;
    await body(await make({ baseUrl, ...options }), requests);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const sse = (...events) => ({
  type: "text/event-stream; charset=utf-8",
  text: events.map((event) => `data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`).join(""),
});

async function collect(stream) {
  const events = [];
  for await (const event of stream) events.push(event);
  return events;
}

test("a busy server is asked again when it says", async () => {
  const busy = { status: 429, json: failure, headers: { "retry-after": "1" } };
  await scripted([busy, { json: models }], {}, async (client, requests) => {
    const started = performance.now();
    assert.deepEqual(await client.listModels(), models);
    assert.equal(requests.length, 2);
    assert.ok(performance.now() - started >= 990);
  });
});

test("a signal ends the wait for a busy server", async () => {
  const busy = { status: 429, json: failure, headers: { "retry-after": "30" } };
  await scripted([busy, { json: models }], {}, async (client, requests) => {
    const { APIConnectionError } = await load("openai");
    const started = performance.now();
    await assert.rejects(client.listModels({ signal: AbortSignal.timeout(200) }), APIConnectionError);
    assert.ok(performance.now() - started < 5000);
    assert.equal(requests.length, 1);
  });
});

test("retries end, and what may have been worked on is not sent again", async () => {
  await scripted([{ status: 503, json: failure }], { maxRetries: 1 }, async (client, requests) => {
    await assert.rejects(client.listModels(), { status: 503 });
    assert.equal(requests.length, 2);
  });
  await scripted([{ status: 500, json: failure }], {}, async (client, requests) => {
    await assert.rejects(collect(client.streamCreateChatCompletion(chat)), { status: 500 });
    assert.equal(requests.length, 1);
  });
});

test("a request is what the document says", async () => {
  await scripted([sse(chunk, "[DONE]", chunk)], { apiKey: "key" }, async (client, requests) => {
    assert.deepEqual(await collect(client.streamCreateChatCompletion(chat)), [chunk]);
    assert.equal(requests[0].url, "/v1/chat/completions");
    assert.equal(requests[0].headers.authorization, "Bearer key");
    assert.deepEqual(JSON.parse(requests[0].content), { ...chat, stream: true });
  });
});

test("an answer's headers are told to whoever asks, and a stream's when it begins", async () => {
  const named = { json: models, headers: { "x-request-id": "r-1" } };
  await scripted([named, { status: 500, json: failure }], {}, async (client) => {
    const { data, response } = await client.listModels().withResponse();
    assert.deepEqual(data, models);
    assert.equal(response.headers.get("x-request-id"), "r-1");
    await assert.rejects(client.listModels().withResponse(), { status: 500 });
  });
  await scripted([{ ...sse(chunk, "[DONE]"), headers: { "x-request-id": "r-2" } }], {}, async (client) => {
    const seen = [];
    const onResponse = (response) => seen.push(response.headers.get("x-request-id"));
    await collect(client.streamCreateChatCompletion(chat, { onResponse }));
    assert.deepEqual(seen, ["r-2"]);
  });
});

test("the items of a list are sent one by one", async () => {
  const requests = [];
  const fetch = async (input) => {
    requests.push(new Request(input).url);
    return Response.json({ data: [] });
  };
  const client = await clientOf("anthropic", { baseUrl: "http://models", fetch });
  await client.listModels({ lifecycle: ["active", "retired"] });
  assert.deepEqual([...new URL(requests[0]).searchParams], [
    ["lifecycle[]", "active"],
    ["lifecycle[]", "retired"],
  ]);
});

test("a stream without its terminator is cut off, and an error in it is thrown", async () => {
  const { APIStreamError, IncompleteStreamError } = await load("openai");
  await scripted([sse(chunk)], {}, async (client) => {
    await assert.rejects(collect(client.streamCreateChatCompletion(chat)), IncompleteStreamError);
  });
  await scripted([sse(chunk, failure, "[DONE]")], {}, async (client) => {
    await assert.rejects(collect(client.streamCreateChatCompletion(chat)), (error) => {
      assert.ok(error instanceof APIStreamError);
      assert.equal(error.body.error.code, "busy");
      return true;
    });
  });
});

test("leaving a stream, or its signal, closes the connection", async () => {
  await scripted([{ ...sse(chunk), stays: true }], {}, async (client, requests) => {
    for await (const event of client.streamCreateChatCompletion(chat)) {
      assert.deepEqual(event, chunk);
      break;
    }
    await requests[0].closed;
  });
  const { APIConnectionError } = await load("openai");
  await scripted([{ ...sse(chunk), stays: true }], {}, async (client, requests) => {
    const controller = new AbortController();
    const stream = client.streamCreateChatCompletion(chat, { signal: controller.signal });
    await stream.next();
    controller.abort();
    await assert.rejects(stream.next(), APIConnectionError);
    await requests[0].closed;
  });
});

test("what is no event stream, no JSON or no server is told", async () => {
  const { APIConnectionError, APIResponseError } = await load("openai");
  await scripted([{ json: models }], {}, async (client) => {
    await assert.rejects(collect(client.streamCreateChatCompletion(chat)), APIResponseError);
  });
  await scripted([{ text: "<html>" }], {}, async (client) => {
    await assert.rejects(client.listModels(), APIResponseError);
  });
  const nobody = await clientOf("openai", { baseUrl: "http://127.0.0.1:9", maxRetries: 1 });
  await assert.rejects(nobody.listModels(), APIConnectionError);
});

const strides = [{ metres: 1, done: false, note: "a\u2028" }, { metres: 2, done: true }];
const lines = (...items) => ({
  type: "application/x-ndjson; charset=utf-8",
  text: items.map((item) => JSON.stringify(item) + "\n").join(""),
});
const pets = async (options) => new (await loadPets()).Client(options);

test("each line of a stream of lines is an item, however it is cut", async () => {
  const { type, text } = lines(...strides);
  const cut = new TextEncoder().encode(text);
  for (const body of [text, text.slice(0, -1), text.replaceAll("\n", "\r\n\n")]) {
    await scripted([{ type, text: body }], {}, async (client, requests) => {
      assert.deepEqual(await collect(client.streamWalkPet({ pet: "Bo" })), strides);
      assert.deepEqual(JSON.parse(requests[0].content), { pet: "Bo", stream: true });
    }, pets);
  }
  const pieces = new ReadableStream({
    start(controller) {
      for (const byte of cut) controller.enqueue(new Uint8Array([byte]));
      controller.close();
    },
  });
  const client = await pets({ fetch: async () => new Response(pieces, { headers: { "content-type": type } }) });
  assert.deepEqual(await collect(client.streamWalkPet({ pet: "Bo" })), strides);
});

test("a line of an error is thrown, and so is what is no stream of lines", async () => {
  const { APIResponseError, APIStreamError } = await loadPets();
  await scripted([lines(strides[0], { reason: "It is tired" })], {}, async (client) => {
    await assert.rejects(collect(client.streamWalkPet({ pet: "Bo" })), APIStreamError);
  }, pets);
  for (const reply of [sse(strides[0]), { json: strides[0] }, { ...lines(), text: '{"metres": 1, "do' }]) {
    await scripted([reply], {}, async (client) => {
      await assert.rejects(collect(client.streamWalkPet({ pet: "Bo" })), APIResponseError);
    }, pets);
  }
});

test("leaving a stream of lines closes the connection", async () => {
  await scripted([{ ...lines(strides[0]), stays: true }], {}, async (client, requests) => {
    for await (const step of client.streamWalkPet({ pet: "Bo" })) {
      assert.deepEqual(step, strides[0]);
      break;
    }
    await requests[0].closed;
  }, pets);
});

test("a whole answer is asked for where a stream is the default", async () => {
  await scripted([{ json: { id: 1, kind: "dog", owner: null } }], {}, async (client, requests) => {
    assert.equal((await client.walkPet({ pet: "Bo" })).id, 1);
    assert.deepEqual(JSON.parse(requests[0].content), { pet: "Bo", stream: false });
  }, pets);
});
