def accuracy(found):
    return {'own': float(len(found.predictions))}
