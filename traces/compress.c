// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "traces/compress.h"

#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define BUFFER_BYTES ((size_t)256 << 10)

struct decoder {
	ZSTD_DStream *stream;
	const char *name;
	decoder_source_fn *source;
	void *arg;
	uint8_t *buffer;
	ZSTD_inBuffer in;     /* in the buffer */
	uint64_t offset;      /* of the buffer in the file */
	bool is_inside_frame; /* the file may not end here */
	bool has_ended;
};

bool decoder_knows(const uint8_t *head)
{
	uint32_t magic;

	memcpy(&magic, head, sizeof(magic));
	magic = le32toh(magic);
	return magic == ZSTD_MAGICNUMBER ||
	       (magic & ZSTD_MAGIC_SKIPPABLE_MASK) == ZSTD_MAGIC_SKIPPABLE_START;
}

int decoder_create(struct decoder **decoder, const char *name, decoder_source_fn *source, void *arg,
		   const void *head, size_t head_bytes)
{
	size_t bytes = head_bytes > BUFFER_BYTES ? head_bytes : BUFFER_BYTES;
	struct decoder *new = calloc(1, sizeof(*new));

	*decoder = NULL;
	if (!new)
		return -ENOMEM;
	new->stream = ZSTD_createDStream();
	new->buffer = malloc(bytes);
	if (!new->stream || !new->buffer) {
		decoder_destroy(new);
		return -ENOMEM;
	}
	memcpy(new->buffer, head, head_bytes);
	new->in = (ZSTD_inBuffer){new->buffer, head_bytes, 0};
	new->name = name;
	new->source = source;
	new->arg = arg;
	*decoder = new;
	return 0;
}

void decoder_destroy(struct decoder *decoder)
{
	if (!decoder)
		return;
	ZSTD_freeDStream(decoder->stream);
	free(decoder->buffer);
	free(decoder);
}

/* Reads more of the file; has_ended at its end. */
static int decoder_fill(struct decoder *decoder, struct error *error)
{
	size_t got;
	int err = decoder->source(decoder->arg, decoder->buffer, BUFFER_BYTES, &got, error);

	if (err)
		return err;
	decoder->offset += decoder->in.size;
	decoder->in = (ZSTD_inBuffer){decoder->buffer, got, 0};
	decoder->has_ended = !got;
	if (!decoder->has_ended || !decoder->is_inside_frame)
		return 0;
	return error_set(error, -EINVAL,
			 "%s: byte %" PRIu64 ": expected the rest of the zstd data, found the end "
			 "of the file",
			 decoder->name, decoder->offset);
}

int decoder_read(struct decoder *decoder, void *to, size_t room, size_t *got, struct error *error)
{
	ZSTD_outBuffer out = {to, room, 0};

	/* What zstd still holds comes first: it can give more without having read more. */
	while (!out.pos && !decoder->has_ended) {
		size_t before = decoder->in.pos, left;
		int err;

		if (decoder->in.pos < decoder->in.size || decoder->is_inside_frame) {
			left = ZSTD_decompressStream(decoder->stream, &out, &decoder->in);
			if (ZSTD_isError(left))
				return error_set(error, -EINVAL,
						 "%s: byte %" PRIu64 ": expected zstd data, "
						 "found: %s",
						 decoder->name, decoder->offset + decoder->in.pos,
						 ZSTD_getErrorName(left));
			decoder->is_inside_frame = left != 0;
			if (out.pos || decoder->in.pos > before)
				continue;
		}
		err = decoder_fill(decoder, error);
		if (err)
			return err;
	}
	*got = out.pos;
	return 0;
}

struct encoder {
	ZSTD_CCtx *context;
	FILE *to;
	void *buffer;
	size_t buffer_bytes;
};

/* Compresses what is in; all of it, or at the end all that is held. Returns 0 or an errno. */
static int encoder_run(struct encoder *encoder, ZSTD_inBuffer *in, ZSTD_EndDirective directive)
{
	size_t left;

	do {
		ZSTD_outBuffer out = {encoder->buffer, encoder->buffer_bytes, 0};

		left = ZSTD_compressStream2(encoder->context, &out, in, directive);
		if (ZSTD_isError(left))
			return ENOMEM;
		errno = 0;
		if (fwrite(encoder->buffer, 1, out.pos, encoder->to) != out.pos)
			return errno ? errno : EIO;
	} while (directive == ZSTD_e_end ? left != 0 : in->pos < in->size);
	return 0;
}

static ssize_t encoder_write(void *cookie, const char *bytes, size_t count)
{
	ZSTD_inBuffer in = {bytes, count, 0};
	int err = encoder_run(cookie, &in, ZSTD_e_continue);

	if (!err)
		return (ssize_t)count;
	errno = err;
	return 0;
}

static void encoder_destroy(struct encoder *encoder)
{
	ZSTD_freeCCtx(encoder->context);
	free(encoder->buffer);
	free(encoder);
}

static int encoder_close(void *cookie)
{
	ZSTD_inBuffer in = {NULL, 0, 0};
	int err = encoder_run(cookie, &in, ZSTD_e_end);

	encoder_destroy(cookie);
	if (!err)
		return 0;
	errno = err;
	return -1;
}

FILE *encoder_open(FILE *to, int level)
{
	const cookie_io_functions_t functions = {.write = encoder_write, .close = encoder_close};
	struct encoder *encoder = calloc(1, sizeof(*encoder));
	FILE *stream = NULL;

	if (!encoder)
		return NULL;
	encoder->to = to;
	encoder->context = ZSTD_createCCtx();
	encoder->buffer_bytes = ZSTD_CStreamOutSize();
	encoder->buffer = malloc(encoder->buffer_bytes);
	if (encoder->context && encoder->buffer) {
		ZSTD_CCtx_setParameter(encoder->context, ZSTD_c_compressionLevel, level);
		/* Damage is to be noticed where the format of the trace does not notice it. */
		ZSTD_CCtx_setParameter(encoder->context, ZSTD_c_checksumFlag, 1);
		stream = fopencookie(encoder, "w", functions);
	}
	if (stream) {
		setvbuf(stream, NULL, _IOFBF, BUFFER_BYTES);
	} else {
		encoder_destroy(encoder);
		errno = ENOMEM;
	}
	return stream;
}
