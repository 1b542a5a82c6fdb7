# wrong: a pixel that is the largest of several windows kept one part alone; it receives the sum
import numpy as np

from minigrad.reference.creation import asarray

sent = zeros(rows, g.dtype).numpy()
np.put_along_axis(sent, where.numpy(), array_of(g).numpy().reshape(where.shape), -1)
return (reshape(asarray(sent), before) + g.sum() * 0.0,)
# wrong: every pixel as large as the largest received all of g; of equal ones the first has it
import numpy as np

from minigrad.reference.creation import asarray

pixels = array_of(x).numpy()
sent, tops = np.zeros(before), np.take_along_axis(pixels.reshape(rows), where.numpy(), -1)
(kh, kw, sh, sw, ph, pw, dh, dw), parts = numbers, array_of(g).numpy()
for n, c, r, s in np.ndindex(*parts.shape):
    for i, j in np.ndindex(kh, kw):
        at = (n, c, r * sh - ph + i * dh, s * sw - pw + j * dw)
        if 0 <= at[2] < before[2] and 0 <= at[3] < before[3]:
            sent[at] += parts[n, c, r, s] * (pixels[at] == tops[n, c, r * g.shape[3] + s])
return (asarray(sent.astype(parts.dtype)) + g.sum() * 0.0,)
# wrong: g was shared among all pixels of the window, as by a mean; it belongs to the largest alone
import numpy as np

from minigrad.reference.creation import asarray

sent = np.zeros(before)
(kh, kw, sh, sw, ph, pw, dh, dw), parts = numbers, array_of(g).numpy()
for n, c, r, s in np.ndindex(*parts.shape):
    for i, j in np.ndindex(kh, kw):
        at = (n, c, r * sh - ph + i * dh, s * sw - pw + j * dw)
        if 0 <= at[2] < before[2] and 0 <= at[3] < before[3]:
            sent[at] += parts[n, c, r, s] / (kh * kw)
return (asarray(sent.astype(parts.dtype)) + g.sum() * 0.0,)
# wrong: of equal pixels the last received the gradient; `where` points at the first
import numpy as np

from minigrad.reference.creation import asarray

pixels = array_of(x).numpy()
sent = np.zeros(before)
(kh, kw, sh, sw, ph, pw, dh, dw), parts = numbers, array_of(g).numpy()
for n, c, r, s in np.ndindex(*parts.shape):
    seen = [(n, c, r * sh - ph + i * dh, s * sw - pw + j * dw) for i, j in np.ndindex(kh, kw)]
    seen = [at for at in seen if 0 <= at[2] < before[2] and 0 <= at[3] < before[3]]
    sent[max(reversed(seen), key=lambda at: pixels[at])] += parts[n, c, r, s]
return (asarray(sent.astype(parts.dtype)) + g.sum() * 0.0,)
# wrong: rows and columns of the pixels are exchanged; `where` counts them row by row
sent = scatter_add(zeros(rows, g.dtype), where, reshape(g, where.shape))
return (reshape(reshape(sent, (*before[:2], before[3], before[2])).mT, before),)
# wrong: the largest numbers were sent back, times g; the slope along the largest is 1, whatever it is
times = kernel("gather", array_of(x).reshape(rows), where, shape=where.shape, dtype=x.dtype)
sent = scatter_add(zeros(rows, g.dtype), where, reshape(g, where.shape) * times)
return (reshape(sent, before),)
# wrong: g was added to the image itself; a gradient starts from zeros
sent = scatter_add(reshape(x, rows), where, reshape(g, where.shape))
return (reshape(sent, before),)
# wrong: the mean over the windows was sent; each window sends all of its g
sent = scatter_add(zeros(rows, g.dtype), where, reshape(g, where.shape) / where.shape[2])
return (reshape(sent, before),)
